//! Every package in the binary bears a licence that deny.toml allows, and none that it bans is there.

#[path = "../krew/metadata.rs"]
mod metadata;

use std::collections::BTreeSet;

/// The entries of a list in deny.toml, which holds one a line.
fn entries(list: &str) -> BTreeSet<String> {
    let deny = include_str!("../deny.toml");
    let start = format!("{list} = [");
    deny.lines()
        .skip_while(|line| *line != start)
        .skip(1)
        .take_while(|line| *line != "]")
        .filter_map(|line| line.trim().strip_prefix('"'))
        .filter_map(|line| line.split('"').next())
        .map(str::to_owned)
        .collect()
}

/// Whether one side of every OR holds only licences that are allowed; an exception to one only widens it.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let licence = |word: &str| {
        let word = word.split(" WITH ").next().unwrap_or_default();
        allowed.contains(word.trim_matches(['(', ')', ' ']))
    };
    // The old spelling of OR is a slash. AND binds more; parentheses are seen around ORs alone.
    let expression = expression.replace('/', " OR ");
    if let Some((inside, outside)) = expression
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(") AND "))
    {
        return is_allowed(inside, allowed) && is_allowed(outside, allowed);
    }
    expression
        .split(" OR ")
        .any(|side| side.split(" AND ").all(licence))
}

#[test]
fn every_package_bears_a_licence_that_is_allowed() {
    let allowed = entries("allow");
    assert!(allowed.contains("Apache-2.0") && !allowed.contains("GPL-3.0-only"));
    let packages = metadata::packages();
    assert!(packages.len() > 50, "{} packages", packages.len());
    assert!(packages.iter().all(|package| package.directory.is_dir()));
    let refused: Vec<_> = packages
        .iter()
        .filter(|package| !is_allowed(&package.licence, &allowed))
        .collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn no_package_that_is_banned_is_there() {
    let banned = entries("deny");
    assert!(banned.contains("openssl-sys"), "{banned:?}");
    let found: Vec<_> = metadata::packages()
        .into_iter()
        .filter(|package| banned.contains(&package.name))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn expressions_are_read_as_spdx_means_them() {
    let allowed = BTreeSet::from(["MIT".to_owned(), "Apache-2.0".to_owned(), "Zlib".to_owned()]);
    for (expression, expected) in [
        ("MIT", true),
        ("MIT OR GPL-3.0-only", true),
        ("GPL-3.0-only/MIT", true),
        ("MIT AND GPL-3.0-only", false),
        ("(MIT OR Apache-2.0) AND Zlib", true),
        ("(MIT OR Apache-2.0) AND GPL-3.0-only", false),
        ("Apache-2.0 WITH LLVM-exception OR GPL-3.0-only", true),
        ("GPL-3.0-only", false),
        ("", false),
    ] {
        assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
    }
}
