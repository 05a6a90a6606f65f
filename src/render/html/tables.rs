//! The tables of the page: the control plane, a row an instance, and the matrix, a row a node.

use maud::{Markup, html};

use super::text;
use crate::render::rows::{self, Shown};
use crate::render::sentences;
use crate::report::{Cell, ControlPlane, NodeRow, Report};

/// The headings of the control plane.
pub(super) const INSTANCES: [&str; 4] = ["component", "version", "on", "read from"];

/// The headings of the matrix: our own words and minors.
pub(super) fn headings(report: &Report) -> impl Iterator<Item = String> {
    let fixed = ["node", "pool", "status", "kubelet", "kube-proxy", "pair"].map(str::to_owned);
    let minors: Vec<String> = report.columns.iter().map(ToString::to_string).collect();
    fixed
        .into_iter()
        .chain([rows::now_heading(report)])
        .chain(minors)
        .chain(["good until".to_owned()])
}

pub(super) fn control_plane(report: &Report) -> Markup {
    let ControlPlane {
        oldest,
        newest,
        running,
        min_compatibility,
        answers,
        instances,
    } = &report.control_plane;
    let span = sentences::span(*oldest, *newest).unwrap_or_else(|| "version unknown".to_owned());
    let kubectl = report
        .kubectl
        .as_ref()
        .and_then(|kubectl| kubectl.version.as_deref());
    html! {
        h2 { "Control plane " small { (span) } }
        @if !instances.is_empty() {
            div class="scroll" tabindex="0" role="region" aria-label="Control plane" {
                table id="instances" class="cards" {
                    thead { tr { @for heading in INSTANCES { th scope="col" { (heading) } } } }
                    tbody {
                        @for row in instances {
                            tr {
                                th scope="row" { (row.component) }
                                td { (text(&sentences::instance_version(row))) }
                                td { (row.node.as_deref().map_or_else(|| "-".to_owned(), text)) }
                                td { (sentences::instance_source(row.from)) }
                            }
                        }
                    }
                }
            }
        }
        @if let Some(answers) = answers { p { (text(answers)) } }
        @else if let Some(running) = running { p { (sentences::count(*running, "apiserver")) " with a live Lease" } }
        @if let Some(minor) = min_compatibility { p { "compatible down to " (minor) " (minCompatibility)" } }
        @if let Some(version) = kubectl { p { "kubectl here is " (text(sentences::version(version))) } }
    }
}

pub(super) fn matrix(report: &Report, shown: &Shown<'_>) -> Markup {
    html! {
        h2 { "Nodes " small { (shown.partial().unwrap_or_else(|| sentences::count(shown.total, "node"))) } }
        @if shown.count > 0 {
            (legend())
            div class="filter" hidden {
                label { "Filter " input type="search" placeholder="name, pool, version"; }
                label { input type="checkbox"; " only problems" }
                output aria-live="polite" {}
            }
            div class="scroll" tabindex="0" role="region" aria-label="Node matrix" {
                table id="nodes" class="cards" {
                    thead {
                        tr {
                            @for heading in headings(report) { th scope="col" { (heading) } }
                        }
                    }
                    @for group in &shown.groups {
                        @if let Some(heading) = &group.heading {
                            tbody class="group" { tr { th scope="rowgroup" colspan=(8 + report.columns.len()) { (text(heading)) } } }
                        }
                        tbody { @for row in &group.rows { (node(row, report)) } }
                    }
                }
            }
        }
    }
}

fn node(row: &NodeRow, report: &Report) -> Markup {
    let hops: Vec<&Cell> = report
        .columns
        .iter()
        .zip(&row.hops)
        .map(|(_, cell)| cell)
        .collect();
    html! {
        tr data-row=(if row.is_problem { "problem" } else { "fine" }) {
            th scope="row" { (text(&row.name)) }
            td { (row.pool.as_deref().map_or_else(|| "-".to_owned(), text)) }
            td class="whole" { (rows::status(row)) }
            td { (text(rows::kubelet(row))) }
            td { (text(&rows::kube_proxy(row))) }
            td { (rows::pair(row)) }
            (cell(&row.now))
            @for hop in &hops { (cell(hop)) }
            @for _ in hops.len()..report.columns.len() { td {} }
            td class="v" { (rows::good_until(row)) }
        }
    }
}

fn cell(cell: &Cell) -> Markup {
    html! {
        td class={ "c " (cell.state.name()) } title=(rows::meaning(cell.state)) {
            (rows::sign(cell.state))
            @if let Some(distances) = rows::distances(cell) { " " (distances) }
        }
    }
}

fn legend() -> Markup {
    html! {
        ul class="legend" {
            @for state in rows::STATES {
                li { span class=(state.name()) { (rows::sign(state)) } " " (rows::meaning(state)) }
            }
            li { "1/2: kubelet 1, kube-proxy 2 minors behind the newest apiserver" }
        }
    }
}
