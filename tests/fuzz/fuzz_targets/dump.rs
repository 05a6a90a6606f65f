//! Feeds anything to the dump reader, and what it reads to the inventory and the policy: nothing may panic, and
//! nothing may hang.
//!
//! ```text
//! cargo +nightly fuzz run --fuzz-dir tests/fuzz dump -- -max_len=16384
//! ```

#![no_main]

use kubectl_skew::collect::dump::{DumpRequest, Input, observe};
use kubectl_skew::inventory::labels::Wanted;
use kubectl_skew::inventory::{ReadOptions, read};
use kubectl_skew::policy::evaluate;
use kubectl_skew::policy::question::Question;
use kubectl_skew::policy::skew_policy::Policy;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // An input of memory lives as long as the program; the fuzzer's does not, so it goes through a file.
    let mut file = tempfile();
    std::io::Write::write_all(&mut file.0, bytes).expect("a temporary file takes bytes");
    let request = DumpRequest {
        inputs: vec![Input::Path(file.1.clone())],
        hosted: None,
        wanted: Wanted::new([]),
        server_version: None,
    };
    if let Ok((observed, _)) = observe(&request) {
        let inventory = read(observed, &ReadOptions::default());
        let _ = evaluate(&inventory, &Policy::upstream(), &Question::default());
    }
});

/// One file for the whole run, in memory where the system has such a place.
fn tempfile() -> (std::fs::File, std::path::PathBuf) {
    let folder = std::path::Path::new("/dev/shm");
    let folder = if folder.is_dir() { folder.to_owned() } else { std::env::temp_dir() };
    let path = folder.join(format!("kubectl-skew-fuzz-{}", std::process::id()));
    let file = std::fs::File::create(&path).expect("a temporary file is made");
    (file, path)
}
