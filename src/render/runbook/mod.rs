//! The plan as a checklist in Markdown that people follow and tick, and attach to a change ticket: what must be true
//! before it starts, then window by window what to do, what to type, how to see that it is done and what going back
//! would cost. [`page`] writes it, [`checks`] says how a finished step shows.

mod checks;
mod page;

pub(super) use page::write;
