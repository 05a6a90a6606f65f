//! From what was seen to what it means. [`read`](read()) puts an inventory together: [`nodes`] and [`pods`] settle what each
//! object is and whether it counts, [`control_plane`] gathers the instances from pods, [`answers`], [`operators`] and
//! the servers of k3s and RKE2 ([`bound_nodes`]), and each read that was refused, cut or empty becomes a gap.

mod answers;
mod bound_nodes;
mod control_plane;
mod digest;
mod emulation;
mod leases;
mod nodes;
mod operators;
mod pods;
mod read;
mod run_state;

pub use read::{ReadOptions, read};
