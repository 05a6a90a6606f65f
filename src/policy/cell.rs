//! A cell of the matrix: what it says of one node against one control-plane minor. How it is found is in `matrix`.

/// A cell of the matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// What it says.
    pub state: CellState,
    /// How far the kubelet is behind the newest apiserver there; negative where it is newer, `None` where unread.
    pub kubelet: Option<i32>,
    /// The same of the kube-proxy that is furthest behind (or newest, where that is worse).
    pub kube_proxy: Half,
    /// Keys of the findings that make it so, sorted.
    pub reasons: Vec<String>,
}

/// One half of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// There is none: no kube-proxy on the node.
    Absent,
    /// It is there and unread.
    Unread,
    /// So many minors behind the newest apiserver.
    Behind(i32),
}

/// What a cell of the matrix says of a node against one control-plane minor. Ordered: the worst is the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CellState {
    /// Too far behind.
    Behind,
    /// Newer than the oldest apiserver.
    Newer,
    /// A required half is unread.
    Unknown,
    /// Legal here, out once the newest apiserver is one minor on.
    AtLimit,
    /// Legal here and one minor on.
    Ok,
    /// Not judged: a virtual or excluded node.
    NotJudged,
}

impl CellState {
    /// Its word in the JSON report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Behind => "behind",
            Self::Newer => "newer",
            Self::Unknown => "unknown",
            Self::AtLimit => "atLimit",
            Self::Ok => "ok",
            Self::NotJudged => "notJudged",
        }
    }
}
