//! Help, exit codes, and each command.

use crate::command::{Ran, command, dump, skew};

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
fn the_demo_says_that_it_is_one_in_every_format() {
    for format in FORMATS {
        let ran = skew(["demo", "-o", format]);
        ran.ends(0);
        match format {
            "table" | "wide" => {
                let first = ran.stdout.lines().next().unwrap();
                assert!(first.starts_with("EXAMPLE: ") && first.len() <= 60, "{first}");
            }
            // A row a node and nothing else: there is no room to say it.
            "csv" => assert!(ran.stdout.lines().count() > 10),
            "name" => assert!(ran.stdout.lines().all(|line| line.starts_with("node/"))),
            "html" | "markdown" => {
                let said = "an example built into kubectl skew; no cluster was asked";
                assert!(ran.stdout.contains(said), "{format}: {}", ran.stdout);
            }
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
        ["hop", "kubelets", "kubeProxy", "kubeProxy", "hop", "hop",]
    );
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
    assert!(
        saved.stderr.contains("use --redact for a file to share"),
        "{}",
        saved.stderr
    );
    let again = skew(["save", &file, "--redact", "-f", &blocked]);
    again.ends(1);
    assert!(
        again.stderr.contains("exists already") && again.stderr.contains("--force"),
        "{}",
        again.stderr
    );
    let forced = skew(["save", &file, "--force", "-f", &blocked]);
    forced.ends(0);
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

/// bash breaks words at `=` and `:`, with bash-completion or without, and replaces only what stands behind the break.
#[cfg(unix)]
#[test]
fn the_script_of_bash_completes_words_that_bash_breaks() {
    const ASK: &str = r#"
        eval "$("$SKEW" completion bash)"
        COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=("$SKEW") COMP_CWORD=0
        _kubectl_skew
        printf '%s ' "${COMPREPLY[@]}""#;
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("config");
    std::fs::write(
        &config,
        "contexts: [{name: prod-eu}, {name: prod-us}, {name: 'arn:aws:eks:eu:1:cluster/x'}]\n",
    )
    .unwrap();
    for (typed, replies) in [
        ("--output=js", "json "),
        (
            "--output=",
            "table wide json yaml junit sarif markdown csv html name runbook ",
        ),
        ("-o js", "json "),
        ("--context prod", "prod-eu prod-us "),
        ("--context=arn:aws", "aws:eks:eu:1:cluster/x "),
        ("exp", "explain "),
        ("--assume kube-p", "kube-proxy= "),
        ("--nothing-like-it", " "),
    ] {
        let ran = std::process::Command::new("bash")
            .args(["-c", ASK, "bash", &format!("kubectl-skew {typed}")])
            .env("SKEW", env!("CARGO_BIN_EXE_kubectl-skew"))
            .env("KUBECONFIG", &config)
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&ran.stdout), replies, "{typed}: {ran:?}");
    }
}

/// Whoever can write a kubeconfig must not have commands run by a Tab and an Enter.
#[cfg(unix)]
#[test]
fn a_name_of_the_kubeconfig_stays_one_word_of_the_shell() {
    const NAMES: [&str; 7] = [
        "$(touch pwned)",
        "`touch pwned`",
        "a b",
        "it's \"so\"",
        "x;touch pwned",
        "back\\slash",
        "~ann",
    ];
    // What is inserted is read by the shell as it would be behind an Enter.
    const ASK: &str = r#"
        eval "$("$SKEW" completion bash)"
        COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=("$SKEW") COMP_CWORD=0
        _kubectl_skew
        for reply in "${COMPREPLY[@]}"; do eval "printf '%s\n' $reply"; done"#;
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("config");
    let contexts: Vec<_> = NAMES
        .iter()
        .map(|name| serde_json::json!({"name": name}))
        .collect();
    std::fs::write(&config, serde_json::json!({"contexts": contexts}).to_string()).unwrap();
    let mut sorted = NAMES.map(str::to_owned);
    sorted.sort();
    for (typed, replies) in [
        ("--context ", sorted.join("\n")),
        ("--context=", sorted.join("\n")),
        ("--context a", "a b".to_owned()),
        (r"--context a\ ", "a b".to_owned()),
        (r"--context=a\ ", "a b".to_owned()),
        (r"--context \$", "$(touch pwned)".to_owned()),
    ] {
        let ran = std::process::Command::new("bash")
            .args(["-c", ASK, "bash", &format!("kubectl-skew {typed}")])
            .env("SKEW", env!("CARGO_BIN_EXE_kubectl-skew"))
            .env("KUBECONFIG", &config)
            .current_dir(&directory)
            .output()
            .unwrap();
        assert_eq!(
            String::from_utf8_lossy(&ran.stdout).trim_end(),
            replies,
            "{typed}: {ran:?}"
        );
        assert!(!directory.path().join("pwned").exists(), "{typed}");
    }
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
fn the_demo_in_numbers_and_by_pool() {
    let report: serde_json::Value = serde_json::from_str(&skew(["demo", "-o", "json"]).stdout).unwrap();
    assert_eq!(report["ready"], false);
    let mut summary = report["summary"].clone();
    let text = summary["text"].take();
    assert!(text.as_str().unwrap().starts_with("BLOCKED for 1.37"), "{text}");
    assert_eq!(
        summary,
        serde_json::json!({
            "text": null, "nodes": 18, "judged": 17, "outToday": 3,
            "moveFirst": 9, "moveFirstProxyOnly": 0, "notAssessed": 1,
        })
    );
    let pools = report["pools"].as_array().unwrap();
    let nodes = pools
        .iter()
        .map(|pool| pool["nodes"].as_u64().unwrap())
        .sum::<u64>();
    assert_eq!(nodes, 18, "each node is in one pool");
    assert!(pools.last().unwrap()["name"].is_null());
    let gpu = pools.iter().find(|pool| pool["name"] == "gpu").unwrap();
    assert_eq!(
        gpu["kubelets"],
        serde_json::json!([{"minor": "1.31", "nodes": 2}])
    );
    assert_eq!(
        gpu["kubeProxies"],
        serde_json::json!([{"minor": "1.30", "nodes": 2}])
    );
    assert_eq!(
        (&gpu["judged"], &gpu["cordoned"], &gpu["now"], &gpu["goodUntil"]),
        (&2.into(), &1.into(), &"behind".into(), &"1.33".into())
    );
    assert_eq!(
        gpu["hops"][0],
        serde_json::json!({"minor": "1.35", "state": "behind"})
    );
    let steps = report["plan"]["steps"].as_array().unwrap();
    for number in gpu["steps"].as_array().unwrap() {
        let step = steps.iter().find(|step| &step["number"] == number).unwrap();
        assert!(
            step["pools"]
                .as_array()
                .unwrap()
                .iter()
                .any(|pool| pool["name"] == "gpu")
        );
    }
}
