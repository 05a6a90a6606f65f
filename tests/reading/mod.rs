//! Every format read back by a parser that is not ours: what it tells, and that nothing in it acts.

mod harmless;
pub(crate) mod told;

pub(crate) use harmless::harmless;
pub(crate) use told::told;
