//! What becomes of the objects of a dump: kept, counted or passed over, and compared where one stands twice.
//! [`kind`] tells what each is, [`collector`] keeps it, [`observed`] makes [`Observed`] and its gaps of all of them
//! at the end; [`clusters`] refuses those of two clusters. Where the objects come from is the readers' business.
//!
//! [`Observed`]: crate::inventory::observed::Observed

mod clusters;
mod collector;
mod kind;
mod observed;

pub(super) use collector::{ObjectCollector, TypeMeta, Undecided};
