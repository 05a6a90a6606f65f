//! The command line from outside: help, exit codes, what goes to which stream, and an answer to every mistake.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod cli {
    pub(crate) mod command;
}

use std::io::Read as _;
use std::net::TcpListener;
use std::process::Stdio;

use cli::command::{Ran, command, dump, skew};

/// All words of `--output`.
const FORMATS: [&str; 10] = [
    "table", "wide", "json", "yaml", "junit", "sarif", "markdown", "csv", "html", "name",
];

#[test]
fn help_is_as_it_is_typed() {
    let help = skew(["--help"]);
    help.ends(0);
    assert_eq!(help.stderr, "");
    insta::assert_snapshot!("help", help.stdout);
    assert_eq!(skew(["-h"]).stdout, help.stdout);
    for command in ["demo", "explain", "save", "completion"] {
        let help = skew([command, "--help"]);
        help.ends(0);
        assert!(
            help.stdout.contains(&format!("Usage: kubectl skew {command}")),
            "{}",
            help.stdout
        );
        assert!(help.stdout.contains("Examples:"), "{}", help.stdout);
    }
    assert!(!skew(["demo", "--help"]).stdout.contains("--kubeconfig"));
    assert!(!skew(["save", "--help"]).stdout.contains("--target <"));
    let version = skew(["--version"]);
    version.ends(0);
    assert_eq!(
        version.stdout,
        concat!("kubectl skew ", env!("CARGO_PKG_VERSION"), "\n")
    );
}

#[test]
fn watching_and_triage_are_not_offered() {
    let help = skew(["--help"]).stdout;
    for flag in ["--watch", "-w,", "--interactive", "-i,"] {
        assert!(!help.contains(flag), "{flag}");
    }
    skew(["-w"]).fails("unknown flag -w");
    skew(["-i"]).fails("unknown flag -i");
}

#[test]
fn a_mistake_is_one_line_with_the_nearest_word_and_exit_one() {
    for (words, says) in [
        ("--tarrget 1.37", "unknown flag --tarrget; did you mean --target?"),
        (
            "demo --fold=maybe",
            "--fold cannot be \"maybe\"; it is one of true, false",
        ),
        ("-o jsno", "--output cannot be \"jsno\"; did you mean json?"),
        (
            "--output=marcdown",
            "--output cannot be \"marcdown\"; did you mean markdown?",
        ),
        (
            "--fail-on blockr",
            "--fail-on cannot be \"blockr\"; did you mean blocker?",
        ),
        (
            "--fail-on info",
            "--fail-on cannot be \"info\"; it is one of blocker, warning, never",
        ),
        (
            "--policy upstrem",
            "--policy cannot be \"upstrem\"; did you mean upstream?",
        ),
        ("--policy k0s --policy-file x", "cannot be used together with"),
        ("--output-file jnit=x", "did you mean"),
        ("--output-file junit", "write FORMAT=PATH"),
        ("--output-file junit=", "no file stands behind the ="),
        ("--output-file json=-", "standard output takes its format from -o"),
        ("demmo", "unknown command \"demmo\"; did you mean demo?"),
        ("1.37", "unknown command \"1.37\"; did you mean --target 1.37?"),
        ("dump.json", "did you mean -f dump.json"),
        ("--allow-incomplete false", "unknown command \"false\""),
        ("--target", "--target needs a value"),
        ("--chunk-size -1", "--chunk-size: -1 is not in"),
        ("-v many", "--v: "),
        ("-n No_Namespace", "\"No_Namespace\" is no namespace"),
        ("-l a===b", "--selector: "),
        ("--assume gpu", "--assume: "),
        ("--exclude gpu", "--exclude: "),
        ("--server-version two", "--server-version: "),
        ("--only nodes", "--only cannot be \"nodes\"; it can be problems"),
        ("--sort-by nme", "did you mean name?"),
        ("--node-step two", "it is one of one, max"),
        (
            "--rollout-file no-such-file",
            "cannot read --rollout-file no-such-file",
        ),
        ("--rollout , demo", "the rollout names no node"),
        ("save", "FILE"),
        ("save x --target 1.37", "kubectl skew save does not take --target"),
        ("demo --context prod", "kubectl skew demo does not take --context"),
        ("demo -f x", "kubectl skew demo does not take --filename"),
        ("completion tcsh", "SHELL"),
        ("completion bash --install", "--install is for"),
        (
            "explain kubelet-curent",
            "did you mean version-skew/kubelet-current?",
        ),
        ("explain no-such-rule-at-all", "no rule has the key"),
        ("-f x --context prod", "--context speaks of a live cluster"),
        ("-f x -s localhost", "--server speaks of a live cluster"),
        (
            "-f x --request-timeout 1s",
            "--request-timeout speaks of a live cluster",
        ),
        ("-f - -f -", "standard input can be read only once"),
        ("-f - --rollout-file -", "standard input can be read only once"),
        ("-f no-such-file", "no-such-file"),
    ] {
        let ran = skew(words.split(' '));
        ran.fails(says);
        let lines = ran.stderr.lines().count();
        assert!(lines <= 2, "{words}: {}", ran.stderr);
    }
}

#[test]
fn a_target_that_is_none_is_refused_before_any_request() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let address = format!("http://{}", server.local_addr().unwrap());
    for (target, says) in [
        ("1.4", "1.40"),
        ("1.15", "1.16"),
        ("2.0", "major 1"),
        ("banana", "banana"),
        ("", "empty"),
        ("+0", "+0"),
        ("1.37x", "1.37x"),
        ("37", "37"),
    ] {
        let ran = skew(["--server", &address, "--target", target]);
        ran.fails(says);
    }
    skew(["--server", &address, "--no-such-flag"]).fails("unknown flag");
    let heard = server.accept();
    assert!(heard.is_err(), "{heard:?}");
}

#[test]
fn flags_are_read_as_kubectl_reads_them() {
    for words in [
        vec!["-o", "json"],
        vec!["-ojson"],
        vec!["-o=json"],
        vec!["--output=json"],
        vec!["--output", "JSON"],
        vec!["-o", "table", "-o", "json"],
    ] {
        let ran = skew([vec!["demo"], words.clone()].concat());
        ran.ends(0);
        assert!(ran.stdout.starts_with("{\n"), "{words:?}: {}", ran.stdout);
    }
    let before = skew(["--target", "1.36", "demo", "-q"]);
    let behind = skew(["demo", "-q", "--target", "1.36"]);
    assert_eq!(before.stdout, behind.stdout);
    assert!(before.stdout.contains("1.36"), "{}", before.stdout);
    for (words, has_headers) in [
        (vec!["--no-headers"], false),
        (vec!["--no-headers=false"], true),
        (vec!["--no-headers=T"], false),
    ] {
        let ran = skew([vec!["demo"], words].concat());
        assert_eq!(ran.stdout.contains("GOOD UNTIL"), has_headers);
    }
}

#[test]
fn the_exit_code_is_the_gate() {
    let blocked = dump("blocked.json");
    let fine = dump("fine.json");
    let partial = dump("nodes-only.json");
    for (words, code) in [
        (format!("-f {fine} --target 1.37"), 0),
        (format!("-f {fine}"), 0),
        (format!("-f {blocked} --target 1.37"), 2),
        (format!("-f {blocked} --target 1.37 --fail-on never"), 0),
        (format!("-f {blocked} --target 1.37 --allow-incomplete"), 2),
        (format!("-f {partial} --target 1.37"), 2),
        (format!("-f {partial} --target 1.37 --allow-incomplete"), 0),
        (format!("-f {partial} --target 1.37 --fail-on never"), 0),
        // At or below the cluster's minor: not waived by --allow-incomplete.
        (format!("-f {fine} --target 1.36"), 2),
        (format!("-f {fine} --target 1.36 --allow-incomplete"), 2),
        (format!("-f {fine} --target 1.36 --fail-on never"), 0),
        // Further than any upgrade goes: a typo.
        (format!("-f {fine} --target 1.73"), 1),
    ] {
        let ran = skew(words.split(' '));
        assert_eq!(ran.code, Some(code), "{words}: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn standard_output_carries_the_report_alone() {
    let fine = dump("fine.json");
    let ran = skew(["-f", &fine, "--target", "1.37", "-o", "json"]);
    ran.ends(0);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["verdict"], "ready");
    assert_eq!(ran.stderr, "");

    let failed = skew(["-f", "no-such-file"]);
    assert_eq!(failed.stdout, "");
    assert!(failed.stderr.starts_with("error: "), "{}", failed.stderr);
}

#[test]
fn the_demo_says_that_it_is_one_in_every_format() {
    for format in FORMATS {
        let ran = skew(["demo", "-o", format]);
        ran.ends(0);
        match format {
            "table" | "wide" => assert!(ran.stdout.starts_with("EXAMPLE: "), "{}", ran.stdout),
            // A row a node and nothing else: there is no room to say it.
            "csv" => assert!(ran.stdout.lines().count() > 10),
            "name" => assert!(ran.stdout.lines().all(|line| line.starts_with("node/"))),
            _ => assert!(ran.stdout.contains("example"), "{format}: {}", ran.stdout),
        }
    }
    skew(["demo", "--fail-on", "blocker"]).ends(2);
    skew(["demo", "--target", "1.35", "--fail-on", "never"]).ends(0);
    let assumed = skew([
        "demo",
        "--assume",
        "pool/gpu=1.34",
        "--exclude",
        "node/oci-1",
        "-o",
        "json",
    ]);
    let report: serde_json::Value = serde_json::from_str(&assumed.stdout).unwrap();
    assert_eq!(report["assumed"][0]["selector"], "pool/gpu");
    assert_eq!(report["excluded"][0]["nodes"][0], "oci-1");
    skew(["demo", "--assume", "pool/none=1.34"]).fails("pool/none");
}

#[test]
fn the_demo_shows_what_it_is_there_to_show() {
    let report: serde_json::Value = serde_json::from_str(&skew(["demo", "-o", "json"]).stdout).unwrap();
    assert_eq!(report["source"]["mode"], "files");
    assert_eq!(report["source"]["files"][0], "example");
    assert_eq!(report["target"], "1.37");
    assert_eq!(report["verdict"], "blocked");
    assert_eq!(report["controlPlane"]["oldest"], "1.34");
    assert_eq!(report["controlPlane"]["newest"], "1.35");
    let nodes = report["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 18);
    let states: Vec<&str> = nodes
        .iter()
        .map(|node| node["now"]["state"].as_str().unwrap())
        .collect();
    for state in ["ok", "atLimit", "behind", "newer", "notJudged"] {
        assert!(states.contains(&state), "{state}: {states:?}");
    }
    // The one image that cannot be read is disclosed, and keeps nothing from being judged.
    let gaps = report["notAssessed"].as_array().unwrap();
    assert_eq!(gaps.len(), 1, "{gaps:?}");
    assert_eq!(gaps[0]["required"], false);
    let rolls: Vec<_> = report["plan"]["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| &step["kind"])
        .collect();
    assert_eq!(
        rolls,
        [
            "kubelets",
            "hop",
            "kubelets",
            "kubeProxy",
            "hop",
            "kubelets",
            "kubeProxy",
            "hop"
        ]
    );
}

#[test]
fn a_file_appears_whole_or_not_at_all() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let junit = format!("junit={}", path("skew.xml"));
    let html = format!("HTML={}", path("skew.html"));
    let ran = skew(["demo", "-q", "--output-file", &junit, "--output-file", &html]);
    ran.ends(0);
    assert!(
        std::fs::read_to_string(path("skew.xml"))
            .unwrap()
            .contains("<testsuites")
    );
    assert!(
        std::fs::read_to_string(path("skew.html"))
            .unwrap()
            .contains("<html")
    );
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 2);

    let missing = format!("json={}", path("no/such/file"));
    let ran = skew(["demo", "--output-file", &missing]);
    ran.fails("cannot write");
    assert_eq!(ran.stdout, "", "no report where a file of it failed");
    let ran = skew([
        "demo",
        "--output-file",
        &format!("json={}", directory.path().display()),
    ]);
    ran.fails("is a directory");
}

#[cfg(unix)]
#[test]
fn a_file_that_is_read_only_stays_as_it_is() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("report.json");
    std::fs::write(&path, "mine").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    skew(["demo", "--output-file", &format!("json={}", path.display())]).fails("cannot write");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = command(["demo"]).stdout(full).output().unwrap();
    let ran = Ran::of(output);
    ran.fails("cannot write to standard output: No space left on device");
    skew(["demo", "--output-file", "json=/dev/full"]).fails("cannot write /dev/full");
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let mut child = command(["demo", "-o", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[cfg(unix)]
#[test]
fn the_keyboard_stops_it_at_once() {
    use std::time::{Duration, Instant};
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", server.local_addr().unwrap());
    let mut child = command(["--server", &address])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It has connected and waits for an answer that never comes.
    let _connection = server.accept().unwrap();
    let started = Instant::now();
    let sent = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(started.elapsed() < Duration::from_secs(2));
}

#[test]
fn best_effort_forgives_what_is_out_of_reach_and_nothing_else() {
    // Nothing listens on the port of a listener that is gone.
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let address = format!("http://{gone}");
    let dead = skew(["--server", &address, "--target", "1.37"]);
    dead.fails(&gone.port().to_string());
    assert!(dead.stderr.lines().count() == 2, "{}", dead.stderr);
    let forgiven = skew(["--server", &address, "--target", "1.37", "--best-effort"]);
    forgiven.ends(0);
    assert_eq!(forgiven.stdout, "");
    assert!(forgiven.stderr.starts_with("Warning: "), "{}", forgiven.stderr);
    skew(["--kubeconfig", "no-such-file", "--best-effort"]).fails("no-such-file");
    skew(["--server", &address, "--target", "banana", "--best-effort"]).fails("banana");
}

#[test]
fn without_a_cluster_it_says_what_to_type() {
    let ran = skew(Vec::<&str>::new());
    ran.fails("");
    assert!(ran.stderr.lines().count() == 2, "{}", ran.stderr);
}

#[test]
fn a_rule_is_explained_with_and_without_a_cluster() {
    let all = skew(["explain"]);
    all.ends(0);
    assert!(all.stdout.contains("version-skew/kubelet-post-upgrade"));
    let alone = skew(["explain", "version-skew/kubelet-current"]);
    alone.ends(0);
    assert!(
        alone
            .stdout
            .contains("https://kubernetes.io/releases/version-skew-policy/")
    );
    let blocked = dump("blocked.json");
    let here = skew([
        "explain",
        "version-skew/kubelet-post-upgrade",
        "-f",
        &blocked,
        "--target",
        "1.37",
    ]);
    here.ends(0);
    assert!(
        here.stdout.starts_with(
            alone
                .stdout
                .split("  ")
                .next()
                .unwrap()
                .split("kubelet-current")
                .next()
                .unwrap()
        )
    );
    assert!(here.stdout.contains("old-1"), "{}", here.stdout);
    skew(["explain", "-f", &blocked]).fails("name the rule");
}

#[test]
fn a_snapshot_is_judged_like_what_it_was_taken_from() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("skew.json").display().to_string();
    let blocked = dump("blocked.json");
    let saved = skew(["save", &file, "-f", &blocked]);
    saved.ends(0);
    assert_eq!(saved.stdout, "");
    let verdict = |from: &str| skew(["-f", from, "--target", "1.37", "-q"]).stdout;
    assert_eq!(verdict(&file), verdict(&blocked));
    let redacted = skew(["save", "-", "--redact", "-f", &blocked]);
    redacted.ends(0);
    assert!(!redacted.stdout.contains("old-1"), "{}", redacted.stdout);
}

#[test]
fn words_are_completed_in_the_lines_that_kubectl_reads() {
    let complete = |words: &[&str]| skew([&["__complete"], words].concat()).stdout;
    assert_eq!(complete(&["-o", "js"]), "json\n:4\n");
    assert_eq!(complete(&["--output=ma"]), "--output=markdown\n:4\n");
    assert!(complete(&["--all"]).starts_with("--allow-incomplete\t"));
    assert!(complete(&["--target", ""]).starts_with("next\n+1\n"));
    assert!(complete(&["--policy", "k"]).contains("k0s\n"));
    assert!(complete(&["explain", "version-skew/kubelet-c"]).contains("version-skew/kubelet-current\n"));
    let commands = complete(&[""]);
    assert!(commands.starts_with("demo\t"), "{commands}");
    assert!(
        !commands.contains("--target") && !commands.contains("man\t"),
        "{commands}"
    );

    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("config");
    std::fs::write(
        &config,
        "contexts: [{name: prod}, {name: \"odd\\nname\"}]\nclusters: [{name: eu}]\nusers: [{name: ann}]\n",
    )
    .unwrap();
    let config = config.display().to_string();
    assert_eq!(
        complete(&["--kubeconfig", &config, "--context", ""]),
        "prod\n:4\n"
    );
    assert_eq!(complete(&["--kubeconfig", &config, "--cluster", "e"]), "eu\n:4\n");
    assert_eq!(complete(&["--kubeconfig", &config, "--user", ""]), "ann\n:4\n");
}

#[test]
fn every_shell_has_its_script() {
    for (shell, contains) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef kubectl-skew"),
        ("fish", "complete --command kubectl-skew"),
        ("powershell", "Register-ArgumentCompleter"),
        ("kubectl", "__complete"),
    ] {
        let ran = skew(["completion", shell]);
        ran.ends(0);
        assert!(ran.stdout.contains(contains), "{shell}: {}", ran.stdout);
    }
    let man = skew(["man"]);
    man.ends(0);
    assert!(man.stdout.contains(".TH KUBECTL-SKEW 1"));
}

#[cfg(unix)]
#[test]
fn the_completer_is_installed_beside_the_plugin() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let plugin = directory.path().join("kubectl-skew");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_kubectl-skew"), &plugin).unwrap();
    let path = std::env::join_paths(std::iter::once(directory.path().to_owned()).chain(
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()),
    ))
    .unwrap();
    let ran = Ran::of(
        command(["completion", "kubectl", "--install"])
            .env("PATH", &path)
            .output()
            .unwrap(),
    );
    ran.ends(0);
    let completer = directory.path().join("kubectl_complete-skew");
    assert_eq!(ran.stdout.trim(), completer.display().to_string());
    assert_eq!(
        std::fs::metadata(&completer).unwrap().permissions().mode() & 0o777,
        0o755
    );
    let candidates = std::process::Command::new(&completer)
        .args(["-o", "ya"])
        .env("PATH", &path)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&candidates.stdout), "yaml\n:4\n");

    std::fs::write(&completer, "somebody else's").unwrap();
    let refused = Ran::of(
        command(["completion", "kubectl", "--install"])
            .env("PATH", &path)
            .output()
            .unwrap(),
    );
    refused.fails("is there already");
}

#[test]
fn colour_follows_the_flag_and_the_environment() {
    let colored = |words: &[&str], variables: &[(&str, &str)]| {
        let output = command([&["demo"], words].concat())
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        Ran::of(output).stdout.contains('\u{1b}')
    };
    assert!(!colored(&[], &[]));
    assert!(colored(&["--color", "always"], &[]));
    assert!(colored(&["--color=always"], &[("NO_COLOR", "1")]));
    assert!(colored(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!colored(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "")]));
    assert!(!colored(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
}

#[test]
fn signs_become_words_where_the_locale_is_not_utf_8() {
    let output = command(["demo"]).env("LC_ALL", "C").output().unwrap();
    assert!(Ran::of(output).stdout.is_ascii());
}
