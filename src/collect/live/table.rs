//! A page of pods as the server's table: their names and nodes, and no object. It comes in JSON alone.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

/// A `Table` of `meta.k8s.io`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Table<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    metadata: Metadata<'a>,
    #[serde(borrow, default)]
    column_definitions: Vec<Column<'a>>,
    #[serde(borrow, default)]
    rows: Option<Vec<Row<'a>>>,
}

#[derive(Deserialize)]
struct Metadata<'a> {
    #[serde(borrow, default, rename = "continue")]
    next: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Column<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Row<'a> {
    #[serde(borrow)]
    cells: Vec<Cell<'a>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Cell<'a> {
    Text(#[serde(borrow)] Cow<'a, str>),
    Other(IgnoredAny),
}

/// Why an answer is no table of pods.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoTable {
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("it is a {}, not a Table", .0.escape_debug())]
    Kind(String),
    #[error("its table has no column {0}")]
    Column(&'static str),
    #[error("a row of its table has no name")]
    Nameless,
}

/// Shows `each` the name and the node of every pod in a page of the table; gives back the token of the next page, which
/// is empty on the last.
pub(super) fn pods(bytes: &[u8], mut each: impl FnMut(&str, Option<&str>)) -> Result<String, NoTable> {
    let table: Table<'_> = serde_json::from_slice(bytes)?;
    if table.kind != "Table" {
        return Err(NoTable::Kind(table.kind.chars().take(60).collect()));
    }
    let column = |name: &'static str| {
        let at = table
            .column_definitions
            .iter()
            .position(|column| column.name == name);
        at.ok_or(NoTable::Column(name))
    };
    let (name, node) = (column("Name")?, column("Node")?);
    for row in table.rows.iter().flatten() {
        let text = |at: usize| match row.cells.get(at) {
            Some(Cell::Text(text)) => Some(text.as_ref()),
            Some(Cell::Other(_)) | None => None,
        };
        let name = text(name)
            .filter(|name| !name.is_empty())
            .ok_or(NoTable::Nameless)?;
        each(name, text(node).filter(|node| *node != "<none>"));
    }
    Ok(table.metadata.next.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(String, Vec<String>), String> {
        let mut rows = Vec::new();
        let next = pods(text.as_bytes(), |name, node| {
            rows.push(format!("{name} on {node:?}"));
        });
        next.map(|next| (next, rows)).map_err(|error| error.to_string())
    }

    const COLUMNS: &str =
        r#""columnDefinitions":[{"name":"Name","type":"string"},{"name":"Restarts"},{"name":"Node"}]"#;

    #[test]
    fn names_and_nodes_are_found_by_their_columns() {
        let text = format!(
            r#"{{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{{"resourceVersion":"7","continue":"x","remainingItemCount":3}},
            {COLUMNS},"rows":[{{"cells":["a-1",3,"n1"],"object":null}},{{"cells":["b",null,"<none>"]}},{{"cells":["c",[1,{{}}]]}}]}}"#
        );
        let rows = [r#"a-1 on Some("n1")"#, "b on None", "c on None"].map(str::to_owned);
        assert_eq!(read(&text), Ok(("x".to_owned(), rows.to_vec())));
        let empty = format!(r#"{{"kind":"Table","metadata":{{}},{COLUMNS},"rows":null}}"#);
        assert_eq!(read(&empty), Ok((String::new(), Vec::new())));
    }

    #[test]
    fn what_is_no_table_of_pods_is_an_error() {
        let row = |cells: &str| {
            format!(r#"{{"kind":"Table","metadata":{{}},{COLUMNS},"rows":[{{"cells":{cells}}}]}}"#)
        };
        for (text, words) in [
            (
                r#"{"kind":"PodList","metadata":{},"items":[]}"#.to_owned(),
                "it is a PodList",
            ),
            (
                r#"{"kind":"Table","metadata":{},"rows":[]}"#.to_owned(),
                "no column Name",
            ),
            (row("[]"), "no name"),
            (row(r#"["",1,"n1"]"#), "no name"),
            (row(r#"[7,1,"n1"]"#), "no name"),
            ("{".to_owned(), "EOF"),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
