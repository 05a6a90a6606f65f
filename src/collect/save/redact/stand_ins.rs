//! Stand-ins for names. A kind's names are told apart and keep their order; what they said is gone.

use std::cell::RefCell;
use std::collections::BTreeMap;

/// The stand-ins of one kind of name.
#[derive(Default)]
pub(super) struct StandIns {
    /// The names of each prefix, numbered once all are known.
    known: RefCell<BTreeMap<String, BTreeMap<String, usize>>>,
}

impl StandIns {
    /// The place of a name among those of its prefix, from 0, and how many there are; right once all are known.
    pub(super) fn place(&self, prefix: &str, name: &str) -> (usize, usize) {
        let mut known = self.known.borrow_mut();
        if let Some(names) = known.get(prefix)
            && let Some(place) = names.get(name)
        {
            return (*place, names.len());
        }
        let names = known.entry(prefix.to_owned()).or_default();
        names.insert(name.to_owned(), 0);
        (0, names.len())
    }

    /// `PREFIX-01` …
    pub(super) fn of(&self, prefix: &str, name: &str) -> String {
        let (place, many) = self.place(prefix, name);
        let width = many.to_string().len();
        format!("{prefix}-{:0width$}", place + 1)
    }

    /// Numbers the names that are known by now, in their order.
    pub(super) fn number(&mut self) {
        for names in self.known.get_mut().values_mut() {
            for (number, place) in names.values_mut().enumerate() {
                *place = number;
            }
        }
    }
}
