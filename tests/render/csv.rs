//! CSV read back by the csv crate, which is strict about RFC 4180 where it is not told otherwise.

use kubectl_skew::render::{Format, Style};

use crate::samples::{self, HOSTILE_NAMES};
use crate::{piped, rendered, shown};

fn records(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(false)
        .from_reader(text.as_bytes());
    reader
        .records()
        .map(|record| record.unwrap().iter().map(str::to_owned).collect())
        .collect()
}

#[test]
fn every_row_is_as_wide_as_the_header_and_distances_are_numbers() {
    for (name, report) in samples::all() {
        let records = records(&rendered(&report, Format::Csv, &piped()));
        let columns = 12 + 3 * report.columns.len() + 1;
        assert!(records.iter().all(|record| record.len() == columns), "{name}");
        let nodes: Vec<_> = records.iter().filter(|record| record[0] == "node").collect();
        assert_eq!(nodes.len(), report.nodes.len(), "{name}");
        for node in nodes {
            for place in (10..columns - 1).step_by(3) {
                for distance in &node[place..place + 2] {
                    assert!(
                        distance.is_empty() || distance.parse::<i32>().is_ok(),
                        "{name}: {distance}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_row_reads_as_the_matrix_does() {
    let records = records(&rendered(&samples::blocked(), Format::Csv, &piped()));
    assert_eq!(
        records[0],
        "record,name,pool,zone,status,kubelet,kube-proxy,pair distance,good until,now,now kubelet behind,\
         now kube-proxy behind,1.35,1.35 kubelet behind,1.35 kube-proxy behind,1.36,1.36 kubelet behind,\
         1.36 kube-proxy behind,1.37,1.37 kubelet behind,1.37 kube-proxy behind,detail"
            .split(',')
            .collect::<Vec<_>>()
    );
    let web = records.iter().find(|record| record[1] == "web-1").unwrap();
    assert_eq!(
        web.join("|"),
        "node|web-1|web|eu-1a|Ready|1.35.0|-||1.38|newer|-1||ok|0||ok|1||ok|2||"
    );
}

#[test]
fn no_name_is_taken_for_a_formula_and_none_is_lost() {
    let records = records(&rendered(&samples::hostile(), Format::Csv, &piped()));
    let names: Vec<&str> = records
        .iter()
        .filter(|record| record[0] == "node")
        .map(|record| record[1].as_str())
        .collect();
    let expected: Vec<String> = HOSTILE_NAMES
        .iter()
        .map(|name| {
            let name = shown(name);
            if name.starts_with(['=', '+', '-', '@']) {
                format!("'{name}")
            } else {
                name
            }
        })
        .collect();
    assert_eq!(names, expected);
    for field in records.iter().flatten() {
        let starts_formula = field.trim_start().starts_with(['=', '+', '@']);
        assert!(!starts_formula, "{field}");
        let is_ours = field == "-" || field.parse::<i32>().is_ok();
        assert!(!field.starts_with('-') || is_ours, "{field}");
    }
}

#[test]
fn no_headers_leaves_the_header_out() {
    let style = Style {
        no_headers: true,
        ..piped()
    };
    assert_eq!(
        records(&rendered(&samples::ready(), Format::Csv, &style))[0][0],
        "verdict"
    );
}
