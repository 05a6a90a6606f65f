//! The policy engine from outside: the matrix of the published limits, a case for each rule, what is asked of a
//! target, the path, the report's order, and the properties that hold for every inventory.

#[path = "../fixtures/mod.rs"]
mod fixtures;
mod matrix;
mod path;
mod platforms;
mod properties;
mod report;
mod rules;
mod targets;
