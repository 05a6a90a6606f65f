//! What goes to which stream and file, how it looks there, and how a run ends early.

use std::io::Read as _;
use std::net::TcpListener;
use std::process::Stdio;

use crate::command::{Ran, command, dump, skew};

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

/// Two formats in one file would leave one of them, and a dump replaced by its report is lost.
#[test]
fn no_file_is_written_twice_or_read_and_overwritten() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let [json, yaml] = [format!("json={}", path("a")), format!("yaml={}", path("./a"))];
    skew(["demo", "--output-file", &json, "--output-file", &yaml]).fails("would be written twice");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);

    let mine = path("dump.json");
    std::fs::copy(dump("fine.json"), &mine).unwrap();
    let before = std::fs::read(&mine).unwrap();
    let onto = format!("html={mine}");
    for words in [
        vec!["-f", &mine, "--output-file", &onto],
        vec!["save", &mine, "-f", &mine],
        vec!["demo", "--rollout-file", &mine, "--output-file", &onto],
    ] {
        skew(words).fails("is read, and would be overwritten");
        assert_eq!(std::fs::read(&mine).unwrap(), before);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    for format in [
        "table", "wide", "json", "yaml", "junit", "sarif", "markdown", "csv", "html", "name",
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = command(["demo", "-o", format]).stdout(full).output().unwrap();
        let ran = Ran::of(output);
        assert_eq!(ran.code, Some(1), "{format}");
        let said = "cannot write to standard output: No space left on device";
        assert!(ran.stderr.contains(said), "{format}: {}", ran.stderr);
    }
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
    let beside = command(["demo", "-o", "name"])
        .env("LC_ALL", "C")
        .output()
        .unwrap();
    let said = String::from_utf8(beside.stderr).unwrap();
    assert!(
        said.contains("by version skew -- today") && said.is_ascii(),
        "{said}"
    );
}
