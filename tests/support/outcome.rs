//! Running a program against a test's cluster: in an environment of its own, within bounded time.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::control_plane::binaries;
use super::kubeconfig::Kubeconfig;
use super::report::Report;

/// The longest that any run may take; what hangs is killed and fails its test.
const LIMIT: Duration = Duration::from_secs(120);

/// A program to run.
pub(crate) struct Program {
    command: Command,
    shown: String,
}

impl Program {
    /// `kubectl-skew` with a kubeconfig.
    pub(crate) fn skew(kubeconfig: &Kubeconfig) -> Self {
        Self::new(Path::new(env!("CARGO_BIN_EXE_kubectl-skew"))).env("KUBECONFIG", &kubeconfig.path)
    }

    /// `kubectl-skew` without any kubeconfig.
    pub(crate) fn skew_alone() -> Self {
        Self::new(Path::new(env!("CARGO_BIN_EXE_kubectl-skew")))
    }

    /// The real kubectl 1.37 with a kubeconfig; it finds the product as its plug-in.
    pub(crate) fn kubectl(kubeconfig: &Kubeconfig) -> Self {
        Self::new(&binaries("1.37").join("kubectl")).env("KUBECONFIG", &kubeconfig.path)
    }

    /// A line for the shell, as a user would paste it.
    pub(crate) fn shell(line: &str, kubeconfig: &Kubeconfig) -> Self {
        Self::new(Path::new("sh"))
            .args(["-c", line])
            .env("KUBECONFIG", &kubeconfig.path)
    }

    /// A program that knows nothing of this process's environment: an empty home, and a path that holds kubectl,
    /// the product and the system.
    pub(crate) fn new(path: &Path) -> Self {
        let mut command = Command::new(path);
        let product = Path::new(env!("CARGO_BIN_EXE_kubectl-skew")).parent().unwrap();
        let paths = [
            &binaries("1.37"),
            product,
            Path::new("/usr/bin"),
            Path::new("/bin"),
        ];
        command
            .env_clear()
            .env("PATH", std::env::join_paths(paths).unwrap())
            .env("HOME", "/nonexistent");
        Self {
            command,
            shown: path.display().to_string(),
        }
    }

    /// With an argument.
    #[must_use]
    pub(crate) fn arg(self, arg: impl AsRef<OsStr>) -> Self {
        self.args([arg])
    }

    /// With arguments.
    #[must_use]
    pub(crate) fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        for arg in args {
            self.shown = format!("{} {}", self.shown, arg.as_ref().display());
            self.command.arg(arg);
        }
        self
    }

    /// With a variable of the environment.
    #[must_use]
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs it to its end.
    pub(crate) fn run(mut self) -> Outcome {
        let started = Instant::now();
        let mut child = self
            .command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", self.shown));
        let stdout = read_all(child.stdout.take().unwrap());
        let stderr = read_all(child.stderr.take().unwrap());
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if started.elapsed() > LIMIT {
                child.kill().unwrap();
                child.wait().unwrap();
                panic!("{} still ran after {LIMIT:?}", self.shown);
            }
            thread::sleep(Duration::from_millis(2));
        };
        Outcome {
            shown: self.shown,
            code: status.code(),
            stdout: String::from_utf8(stdout.join().unwrap()).expect("output is UTF-8"),
            stderr: String::from_utf8(stderr.join().unwrap()).expect("output is UTF-8"),
        }
    }

    /// Runs `kubectl-skew` with `-o json`, which must print a report.
    pub(crate) fn report(self) -> Report {
        self.args(["-o", "json"]).run().report()
    }
}

fn read_all(mut stream: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        bytes
    })
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The command line.
    #[expect(dead_code, reason = "a failing assertion shows it")]
    shown: String,
    /// The exit code; none where a signal ended it.
    pub(crate) code: Option<i32>,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

impl Outcome {
    /// The report on standard output.
    pub(crate) fn report(self) -> Report {
        match serde_json::from_str(&self.stdout) {
            Ok(json) => Report {
                json,
                code: self.code,
            },
            Err(error) => panic!("no JSON report: {error}\n{self:#?}"),
        }
    }

    /// Standard output of a run that must succeed.
    pub(crate) fn success(self) -> String {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self.stdout
    }

    /// Asserts that it ended as an error should: this code, nothing on standard output, one message on standard
    /// error that holds all these words.
    pub(crate) fn is_error(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:#?}");
        assert_eq!(self.stdout, "", "{self:#?}");
        assert_eq!(
            self.stderr.matches("error:").count(),
            1,
            "one error and no more: {self:#?}"
        );
        for word in words {
            assert!(self.stderr.contains(word), "no {word:?} in {self:#?}");
        }
    }
}
