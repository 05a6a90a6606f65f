//! Exec credential plugins, by client-go's rules: run once a run, told what it may ask on the terminal, its
//! standard error shown, its output read and never printed. kube 5.0.0 runs a plugin three times for each
//! client and quotes its output in errors, so it never sees one.
//!
//! [`plugin`] is one run, [`cluster_info`] what a plugin is told, [`answer`] what it prints, [`error`] what can go
//! wrong.

mod answer;
mod cluster_info;
mod error;
mod plugin;

pub(crate) use cluster_info::ClusterInfo;
pub(crate) use error::ExecError;
pub(crate) use plugin::Plugin;

const V1: &str = "client.authentication.k8s.io/v1";
const V1BETA1: &str = "client.authentication.k8s.io/v1beta1";

#[cfg(test)]
mod tests;
