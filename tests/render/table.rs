//! The table at the widths of real terminals, on a pipe, in colour and without, and in a locale without UTF-8.

use kubectl_skew::policy::verdict::Severity;
use kubectl_skew::render::sentences;
use kubectl_skew::render::{Format, GroupBy, SortBy, Style};
use unicode_width::UnicodeWidthStr;

use crate::samples;
use crate::{piped, rendered, shown};

/// A terminal of that many columns, long enough that nothing folds.
fn terminal(width: usize) -> Style {
    Style {
        width: Some(width),
        height: Some(100),
        ..piped()
    }
}

/// The lines of the matrix, its heading first.
fn matrix(text: &str) -> Vec<&str> {
    let from = text.lines().position(|line| line.starts_with("NODE ")).unwrap();
    let is_row = |line: &&str| {
        !line.is_empty()
            && !line.starts_with(['✗', '▲', '!', '✓', '·', '?'])
            && !line.starts_with("not shown")
    };
    text.lines().skip(from).take_while(is_row).collect()
}

#[test]
fn at_the_widths_of_real_terminals() {
    for width in [60, 80, 120, 200] {
        insta::assert_snapshot!(
            format!("blocked_{width}"),
            rendered(&samples::blocked(), Format::Table, &terminal(width))
        );
    }
}

#[test]
fn every_kind_of_report_on_a_pipe() {
    for (name, report) in samples::all() {
        insta::assert_snapshot!(
            format!("piped_{name}"),
            rendered(&report, Format::Table, &piped())
        );
    }
}

#[test]
fn in_colour_and_in_a_locale_without_utf8() {
    let color = Style {
        color: true,
        ..terminal(120)
    };
    let text = rendered(&samples::blocked(), Format::Table, &color);
    insta::assert_snapshot!("colour", text.replace('\u{1b}', "␛"));
    let plain = Style {
        utf8: false,
        ..terminal(120)
    };
    let text = rendered(&samples::blocked(), Format::Table, &plain);
    assert!(text.is_ascii());
    insta::assert_snapshot!("ascii", text);
    assert!(rendered(&samples::hostile(), Format::Table, &plain).is_ascii());
}

#[test]
fn colour_adds_nothing_but_colour() {
    for width in [60, 120] {
        let color = Style {
            color: true,
            ..terminal(width)
        };
        let text = rendered(&samples::blocked(), Format::Table, &color);
        let mut plain = String::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once("\u{1b}[") {
            plain.push_str(before);
            rest = after.split_once('m').unwrap().1;
        }
        plain.push_str(rest);
        assert_eq!(
            plain,
            rendered(&samples::blocked(), Format::Table, &terminal(width))
        );
    }
}

#[test]
fn the_verdict_is_the_first_line_and_the_last() {
    for (name, report) in samples::all() {
        let text = rendered(&report, Format::Table, &piped());
        assert_eq!(text.lines().next(), text.lines().last(), "{name}");
    }
    for (report, line) in [
        (
            samples::ready(),
            "READY for 1.37 by version skew · today: in policy",
        ),
        (
            samples::blocked(),
            "BLOCKED for 1.37 by version skew · today: 2 nodes out of policy",
        ),
        (
            samples::unknown(),
            "UNKNOWN for 1.37 by version skew · not assessed: 2 required gaps · today: not assessed",
        ),
        (
            samples::patch(),
            "READY for 1.36.5 (a patch move) by version skew · today: in policy",
        ),
        (
            samples::today(),
            "OUT OF POLICY today by version skew: 2 nodes · verdict: ready (no blocker)",
        ),
    ] {
        let quiet = Style {
            quiet: true,
            ..piped()
        };
        assert_eq!(rendered(&report, Format::Table, &quiet), format!("{line}\n"));
    }
}

#[test]
fn the_matrix_fits_every_terminal_and_never_loses_name_today_or_target() {
    for (name, report) in samples::all()
        .into_iter()
        .filter(|(_, report)| !report.nodes.is_empty())
    {
        for width in 60..=200 {
            let text = rendered(&report, Format::Table, &terminal(width));
            let lines = matrix(&text);
            for line in &lines {
                assert!(line.width() <= width, "{name} at {width}: {line}");
            }
            assert!(lines[0].contains("now"), "{name} at {width}: {}", lines[0]);
            if let Some(last) = report.columns.last() {
                assert!(
                    lines[0].contains(&last.to_string()),
                    "{name} at {width}: {}",
                    lines[0]
                );
            }
            assert_eq!(lines.len(), report.nodes.len() + 1, "{name} at {width}");
        }
    }
}

#[test]
fn prose_fits_too_and_only_what_is_to_be_copied_may_be_longer() {
    for (name, report) in samples::all() {
        for (width, group_by) in [(60, None), (80, Some(GroupBy::Pool)), (61, Some(GroupBy::Zone))] {
            let style = Style {
                group_by,
                ..terminal(width)
            };
            for line in rendered(&report, Format::Table, &style).lines() {
                let start = line.trim_start();
                let is_to_copy = ["verify ", "grant ", "source ", "https://kubernetes.io"]
                    .iter()
                    .any(|label| start.starts_with(label));
                assert!(is_to_copy || line.width() <= width, "{name} at {width}: {line}");
            }
        }
    }
}

#[test]
fn columns_stay_aligned_under_wide_and_combining_characters() {
    let text = rendered(&samples::hostile(), Format::Table, &piped());
    let lines = matrix(&text);
    let place = lines[0].find("STATUS").map(|at| lines[0][..at].width()).unwrap();
    for line in &lines[1..] {
        let at = line.find(" Ready").unwrap() + 1;
        assert_eq!(line[..at].width(), place, "{line}");
    }
}

#[test]
fn rows_alike_fold_where_the_list_is_longer_than_the_screen() {
    let rows = |style: &Style| matrix(&rendered(&samples::blocked(), Format::Table, style)).len() - 1;
    let small = Style {
        height: Some(10),
        ..terminal(120)
    };
    assert_eq!(rows(&small), 5);
    assert_eq!(
        rows(&Style {
            fold: Some(false),
            ..small.clone()
        }),
        16
    );
    assert_eq!(rows(&terminal(120)), 16);
    assert_eq!(rows(&piped()), 16);
    assert_eq!(
        rows(&Style {
            fold: Some(true),
            ..piped()
        }),
        5
    );
    let text = rendered(&samples::blocked(), Format::Table, &small);
    assert!(text.contains("spot-arm-01 ×12"), "{text}");
}

#[test]
fn nodes_of_two_pools_never_fold_together() {
    let mut report = samples::ready();
    report.nodes = ["a", "b"]
        .map(|pool| samples::node(&format!("{pool}-1"), pool, "v1.36.2", "v1.36.2", "ok 0/0, ok 1/1"))
        .to_vec();
    let narrow = Style {
        fold: Some(true),
        ..terminal(60)
    };
    assert_eq!(matrix(&rendered(&report, Format::Table, &narrow)).len() - 1, 2);
}

#[test]
fn the_rows_shown_are_chosen_and_the_verdict_stays() {
    let mut report = samples::blocked();
    report.nodes[13].labels = vec![("tier".to_owned(), "front".to_owned())];
    let chosen = Style {
        selector: Some("tier=front".parse().unwrap()),
        ..piped()
    };
    let text = rendered(&report, Format::Table, &chosen);
    assert_eq!(matrix(&text).len() - 1, 1);
    assert!(text.contains("1 of 16 nodes shown"), "{text}");
    assert!(text.starts_with("BLOCKED"));
    let problems = Style {
        only_problems: true,
        ..piped()
    };
    let text = rendered(&report, Format::Table, &problems);
    assert!(text.contains("14 of 16 nodes shown"), "{text}");
    assert!(!matrix(&text).iter().any(|line| line.starts_with("web-2 ")));
    for format in [Format::Markdown, Format::Html, Format::Csv, Format::Wide] {
        assert!(
            rendered(&report, format, &chosen).contains("1 of 16 nodes shown"),
            "{format}"
        );
    }
    for format in [
        Format::Json,
        Format::Yaml,
        Format::Junit,
        Format::Sarif,
        Format::Name,
    ] {
        assert_eq!(
            rendered(&report, format, &chosen),
            rendered(&report, format, &piped()),
            "{format}"
        );
    }
    let none = Style {
        selector: Some("tier=none".parse().unwrap()),
        ..piped()
    };
    assert!(rendered(&report, Format::Table, &none).contains("0 of 16 nodes shown"));
}

#[test]
fn rows_are_sorted_and_grouped() {
    let names = |style: &Style| -> Vec<String> {
        matrix(&rendered(&samples::blocked(), Format::Table, style))[1..]
            .iter()
            .map(|line| line.split(' ').next().unwrap().to_owned())
            .collect()
    };
    let sorted = |by| {
        names(&Style {
            sort_by: Some(by),
            ..piped()
        })
    };
    assert_eq!(sorted(SortBy::Name)[0], "gpu-a-7");
    assert_eq!(sorted(SortBy::Name)[15], "web-2");
    assert_eq!(sorted(SortBy::Version)[0], "virtual-aci");
    let mut patches = samples::ready();
    patches.nodes = ["v1.36.10", "v1.36.2-gke.1", "v1.36.9+k3s1", "v1.35.11"]
        .map(|kubelet| samples::node(kubelet, "a", kubelet, "-", "ok 0/-, ok 1/-"))
        .to_vec();
    let by_version = Style {
        sort_by: Some(SortBy::Version),
        ..piped()
    };
    let text = rendered(&patches, Format::Table, &by_version);
    let order: Vec<&str> = matrix(&text)[1..]
        .iter()
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    assert_eq!(order, ["v1.35.11", "v1.36.2-gke.1", "v1.36.9+k3s1", "v1.36.10"]);
    assert_eq!(sorted(SortBy::GoodUntil)[..2], ["virtual-aci", "gpu-a-7"]);
    assert_eq!(sorted(SortBy::Pool)[15], "virtual-aci");
    let text = rendered(
        &samples::blocked(),
        Format::Table,
        &Style {
            group_by: Some(GroupBy::Pool),
            ..piped()
        },
    );
    let headings: Vec<&str> = text
        .lines()
        .filter(|line| line.contains(" · ") && line.contains("pool "))
        .take(4)
        .collect();
    assert_eq!(
        headings,
        [
            "pool gpu · 1 node",
            "pool spot · 12 nodes",
            "pool web · 2 nodes",
            "no pool · 1 node"
        ]
    );
    let text = rendered(
        &samples::blocked(),
        Format::Table,
        &Style {
            group_by: Some(GroupBy::Version),
            ..piped()
        },
    );
    assert!(text.contains("kubelet 1.32 · 12 nodes"), "{text}");
    let text = rendered(
        &samples::blocked(),
        Format::Table,
        &Style {
            group_by: Some(GroupBy::Zone),
            ..piped()
        },
    );
    assert!(text.contains("zone eu-1a · 16 nodes"), "{text}");
}

#[test]
fn headings_can_be_left_out() {
    let text = rendered(
        &samples::blocked(),
        Format::Table,
        &Style {
            no_headers: true,
            ..piped()
        },
    );
    assert!(!text.contains("GOOD UNTIL") && !text.contains("READ FROM"));
    assert!(text.contains("gpu-a-7"));
}

#[test]
fn five_thousand_nodes_stay_readable_on_a_terminal() {
    let report = samples::large(5_000);
    let text = rendered(&report, Format::Table, &terminal(120));
    let lines = text.lines().count();
    assert!(lines < 160, "{lines} lines");
    assert!(text.contains("pool-00-000 ×99"), "{text}");
    assert!(text.contains("pool pool-00 (100 nodes)"), "{text}");
    assert!(text.contains("and 42 more"), "{text}");
    let unfolded = Style {
        fold: Some(false),
        ..terminal(120)
    };
    let text = rendered(&report, Format::Table, &unfolded);
    assert!(matrix(&text).len() == 5_001);
}

#[test]
fn wide_holds_every_column_at_any_width() {
    let text = rendered(&samples::blocked(), Format::Wide, &terminal(60));
    let heading = matrix(&text)[0];
    for column in [
        "NODE",
        "POOL",
        "STATUS",
        "KUBELET",
        "KUBE-PROXY",
        "PAIR",
        "1.35",
        "1.36",
        "1.37",
        "GOOD UNTIL",
        "ROLES",
        "OS",
        "ZONE",
    ] {
        assert!(heading.contains(column), "{column} in {heading}");
    }
}

#[test]
fn every_finding_and_gap_says_what_to_do_next() {
    let text = rendered(&samples::unknown(), Format::Table, &piped());
    for part in [
        "kubectl create role kubectl-skew-pods:ci:reader -n kube-system --verb=list --resource=pods && kubectl create rolebinding",
        "--serviceaccount=ci:reader",
        "kubectl get node/web-2 -o jsonpath='{.status.nodeInfo.kubeletVersion}'",
        "not read: leases",
    ] {
        assert!(text.contains(part), "{part}");
    }
    let report = samples::blocked();
    let text = rendered(&report, Format::Table, &piped());
    for finding in &report.findings {
        assert!(
            text.contains(&shown(&sentences::remedy(finding.rule, &finding.evidence)))
                && text.contains(&finding.citations[0])
        );
        assert!(text.contains(&finding.key) && finding.severity >= Severity::Info);
    }
}
