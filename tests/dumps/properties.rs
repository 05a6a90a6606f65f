//! Whatever happens to a dump on its way: an error or what the text says, never a panic, and never less than
//! there was without a word.

use std::path::{Path, PathBuf};

use kubectl_skew::inventory::observed::{Observed, ObservedNode, ObservedPod};
use proptest::prelude::*;

use super::support::*;

/// Every file of the cases, by extension.
fn case_files(extension: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut open = vec![root];
    let mut files = Vec::new();
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|found| found == extension)
                && path.file_name().is_some_and(|name| name != "case.yaml")
            {
                files.push((path.clone(), std::fs::read(&path).unwrap()));
            }
        }
    }
    files.sort();
    assert!(files.len() > 5, "the cases are there");
    files
}

fn objects(observed: &Observed) -> (Vec<ObservedNode>, Vec<ObservedPod>) {
    (observed.nodes.items().to_vec(), observed.pods.items().to_vec())
}

/// The text of a file, where it can be decoded.
fn text_of(bytes: &[u8]) -> Option<String> {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => {
            let (pairs, odd) = rest.as_chunks::<2>();
            let units: Vec<u16> = pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
            String::from_utf16(&units).ok().filter(|_| odd.is_empty())?
        }
        _ => String::from_utf8(bytes.to_vec()).ok()?,
    };
    Some(text.trim_start_matches('\u{feff}').to_owned())
}

fn is_json(bytes: &[u8]) -> bool {
    let Some(text) = text_of(bytes) else {
        return false;
    };
    let mut documents = serde_json::Deserializer::from_str(&text).into_iter::<serde::de::IgnoredAny>();
    documents.all(|document| document.is_ok())
}

/// A text that is whole is what it is whatever stands around the objects; each prefix of it is an error, since
/// none of them says all.
#[test]
fn no_prefix_of_a_json_file_is_read() {
    for (path, bytes) in case_files("json") {
        let whole = bytes.len();
        let is_document_end = |cut: usize| is_json(&bytes[..cut]);
        // Every place near the ends, and one in seven between: all of a large file would take its square.
        for cut in (0..whole).filter(|cut| *cut < 300 || whole - *cut < 300 || cut % 7 == 0) {
            if let Ok((observed, _)) = read(&bytes[..cut])
                && !is_document_end(cut)
            {
                assert!(is_incomplete(&observed), "{} cut at {cut}", path.display());
            }
        }
    }
}

#[test]
fn a_yaml_stream_that_was_cut_is_said_or_all_that_it_still_says() {
    for (path, bytes) in case_files("yaml") {
        let Ok((whole, _)) = read(&bytes) else { continue };
        let (nodes, pods) = objects(&whole);
        for cut in 0..bytes.len() {
            let Ok((observed, _)) = read(&bytes[..cut]) else {
                continue;
            };
            if is_incomplete(&observed) {
                continue;
            }
            // Cut where an object ended: what is left is whole.
            let (some_nodes, some_pods) = objects(&observed);
            let place = format!("{} cut at {cut}", path.display());
            for node in some_nodes {
                let is_known = nodes.iter().any(|known| {
                    // What stands behind the version decides no verdict.
                    let same = ObservedNode {
                        os: known.os.clone(),
                        runtime_version: known.runtime_version.clone(),
                        images: known.images.clone(),
                        ..node.clone()
                    };
                    same == *known
                });
                // A kubelet whose version is not there is a gap of the inventory's.
                assert!(is_known || node.kubelet_version.is_none(), "{place}: {node:?}");
            }
            for pod in some_pods {
                let whole = pods.iter().find(|known| known.meta.name == pod.meta.name);
                let reads_the_same = whole.is_some_and(|whole| {
                    whole.phase == pod.phase
                        && (pod.containers.is_empty() || whole.containers == pod.containers)
                });
                let is_unread = pod.containers.iter().all(|container| container.image.is_none());
                // A first pod of which only the status is missing reads as one of a trimmed dump.
                let is_trimmed = whole.is_some_and(|whole| {
                    !pod.has_status
                        && (whole.node == pod.node || pod.meta.owner.is_none())
                        && whole.containers == pod.containers
                });
                assert!(reads_the_same || is_unread || is_trimmed, "{place}: {pod:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// What a decoder of JSON does not take is not taken here.
    #[test]
    fn one_changed_byte_is_an_error_or_another_json(file: prop::sample::Index, at: prop::sample::Index, byte: u8) {
        let files = case_files("json");
        let (path, mut bytes) = file.get(&files).clone();
        prop_assume!(!bytes.is_empty());
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok((observed, _)) = read(&bytes) && !is_json(&bytes) {
            prop_assert!(
                is_incomplete(&observed),
                "{} with byte {byte} at {at} was read without a word", path.display()
            );
        }
    }

    #[test]
    fn changed_yaml_never_panics(file: prop::sample::Index, at: prop::sample::Index, bytes: [u8; 3]) {
        let files = case_files("yaml");
        let (_, mut text) = file.get(&files).clone();
        prop_assume!(!text.is_empty());
        let at = at.index(text.len());
        for (offset, byte) in bytes.into_iter().enumerate() {
            if let Some(place) = text.get_mut(at + offset) {
                *place = byte;
            }
        }
        let _ = read(&text);
    }

    #[test]
    fn bytes_of_any_kind_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&bytes);
    }

    #[test]
    fn texts_made_of_pieces_never_panic(pieces in prop::collection::vec(prop::sample::select(vec![
        "{", "}", "[", "]", ",", ":", "\"kind\"", "\"Node\"", "\"items\"", "\"metadata\"", "null", "1", "\n", "---\n",
        "kind: Node\n", "apiVersion: v1\n", "items:\n", "- ", "  name: a\n", "==== START logs for x ====\n",
        "==== END logs for x ====\n", "\u{feff}", "&a ", "*a ", "{\"kind\":\"Node\",\"metadata\":{\"name\":\"a\"}}", "# c\n", "...\n",
    ]), 0..40)) {
        let _ = read(pieces.concat());
    }
}

#[test]
fn two_files_put_together_say_what_both_say_or_are_refused() {
    let files: Vec<_> = case_files("json")
        .into_iter()
        .chain(case_files("yaml"))
        .filter(|(_, bytes)| std::str::from_utf8(bytes).is_ok())
        .collect();
    for (index, (first, a)) in files.iter().enumerate() {
        for (second, b) in files.iter().skip(index % 3).step_by(3) {
            let Ok((together, _)) = read([a.as_slice(), b.as_slice()].concat()) else {
                continue;
            };
            let apart = read_all(&[a, b]);
            let place = format!("{} and {}", first.display(), second.display());
            match apart {
                Ok((apart, _)) => {
                    let same = objects(&apart) == objects(&together);
                    assert!(same || is_incomplete(&together), "{place}");
                }
                Err(error) => assert!(is_incomplete(&together), "{place}: apart {error}"),
            }
        }
    }
}
