//! How words are read, and an answer to every mistake.

use std::net::TcpListener;

use crate::command::skew;

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
fn what_a_kubectl_user_types_is_answered_with_what_serves_instead() {
    for (words, line) in [
        (
            "-A",
            "kubectl skew has no flag -A: the namespaces of the components are always read",
        ),
        ("--all-namespaces", "kubectl skew has no flag --all-namespaces: "),
        (
            "-L zone",
            "kubectl skew has no flag -L: use --pool-label KEY, or --group-by",
        ),
        (
            "--show-labels",
            "kubectl skew has no flag --show-labels: use -o json",
        ),
        (
            "--field-selector=a=b",
            "kubectl skew has no flag --field-selector: use -l LABEL=VALUE",
        ),
        (
            "-o jsonpath={.verdict}",
            "--output cannot be \"jsonpath={.verdict}\"; use -o json and jq",
        ),
        ("-o custom-columns=A:.a", "use -o json and jq"),
        ("-o go-template={{.}}", "use -o json and jq"),
        ("--to 1.37", "unknown flag --to; did you mean --target?"),
        ("demo --assume gpu=1.34", "for a pool write pool/gpu=1.34"),
        (
            "demo --assume pool/none=1.34",
            "the pools are batch, control-plane, db",
        ),
        ("explain kubelet", "these match: "),
    ] {
        skew(words.split(' ')).fails(line);
    }
}
