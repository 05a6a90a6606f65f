//! The renderers: one report, a file a format. Pure: they write what the report says and judge nothing.

/// How a report is to look. Settled by the command line; renderers ask no terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// The columns of the terminal; `None` where the output is no terminal and nothing is cut.
    pub width: Option<usize>,
    /// The rows of the terminal.
    pub height: Option<usize>,
    /// Colours are wanted and borne.
    pub color: bool,
    /// Signs, lines and dots may be used; words where not.
    pub utf8: bool,
    /// Identical rows of a pool fold into one: `None` when the list is longer than the terminal.
    pub fold: Option<bool>,
    /// `--no-headers`.
    pub no_headers: bool,
    /// `-q`: the verdict line alone.
    pub quiet: bool,
    /// `--sort-by`.
    pub sort_by: Option<SortBy>,
    /// `--group-by`.
    pub group_by: Option<GroupBy>,
    /// `-l`: the rows shown.
    pub selector: Option<crate::inventory::selector::Selector>,
    /// `--only problems`.
    pub only_problems: bool,
}

/// `--sort-by`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortBy {
    /// The node's name.
    Name,
    /// The pool.
    Pool,
    /// The kubelet's version.
    Version,
    /// How long it is good for.
    GoodUntil,
}

/// `--group-by`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupBy {
    /// The pool.
    Pool,
    /// The kubelet's minor.
    Version,
    /// The zone.
    Zone,
}
