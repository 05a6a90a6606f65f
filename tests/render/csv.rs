//! CSV read back by the csv crate, which is strict about RFC 4180 where it is not told otherwise.

use kubectl_skew::render::{Format, Style};

use crate::samples;
use crate::{piped, rendered};

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
fn what_would_be_a_formula_is_a_text_and_else_as_it_was() {
    let records = records(&rendered(&samples::hostile(), Format::Csv, &piped()));
    let name = |row: &Vec<String>| (row[0] == "node").then(|| row[1].clone());
    let names: Vec<String> = records.iter().filter_map(name).collect();
    for defused in [
        "'=cmd|' /C calc'!A0",
        "'+1+1",
        "'-2+3",
        "'@SUM(A1)",
        "'＝1＋1",
        "節点-全角",
    ] {
        assert!(names.iter().any(|name| name == defused), "{defused} in {names:?}");
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
