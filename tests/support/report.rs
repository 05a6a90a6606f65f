//! Reading the product's JSON report, in the shapes that tests compare.

use serde_json::Value;

/// A JSON report and the code that the run ended with.
#[derive(Debug)]
pub(crate) struct Report {
    /// The report.
    pub(crate) json: Value,
    /// The exit code.
    pub(crate) code: Option<i32>,
}

impl Report {
    /// A text field at a JSON pointer; panics with the report where there is none.
    pub(crate) fn text(&self, pointer: &str) -> &str {
        let value = self.json.pointer(pointer).and_then(Value::as_str);
        value.unwrap_or_else(|| panic!("no text at {pointer} in {:#}", self.json))
    }

    /// The verdict and the exit code.
    pub(crate) fn verdict(&self) -> (&str, Option<i32>) {
        (self.text("/verdict"), self.code)
    }

    /// Every finding: key, severity, nodes.
    pub(crate) fn findings(&self) -> Vec<(&str, &str, Vec<&str>)> {
        self.json["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| {
                (
                    text(&finding["key"]),
                    text(&finding["severity"]),
                    texts(&finding["nodes"]),
                )
            })
            .collect()
    }

    /// The finding of a key.
    pub(crate) fn finding(&self, key: &str) -> Option<(&str, Vec<&str>)> {
        self.findings()
            .into_iter()
            .find(|(found, ..)| *found == key)
            .map(|(_, severity, nodes)| (severity, nodes))
    }

    /// Every gap: capability, whether it is required, what was skipped.
    pub(crate) fn gaps(&self) -> Vec<(&str, bool, Vec<&str>)> {
        self.json["notAssessed"]
            .as_array()
            .unwrap()
            .iter()
            .map(|gap| {
                let required = gap["required"].as_bool().unwrap();
                (text(&gap["capability"]), required, texts(&gap["skipped"]))
            })
            .collect()
    }

    /// The gaps, as JSON.
    pub(crate) fn gap_values(&self) -> &[Value] {
        self.json["notAssessed"].as_array().unwrap()
    }

    /// The row of a node.
    pub(crate) fn node(&self, name: &str) -> &Value {
        let rows = self.json["nodes"].as_array().unwrap();
        rows.iter()
            .find(|row| row["name"] == name)
            .unwrap_or_else(|| panic!("no node {name} in {:#}", self.json))
    }

    /// Instances of the control plane: component, node, minor, emulated minor, what told it.
    pub(crate) fn instances(&self) -> Vec<[Option<&str>; 5]> {
        self.json["controlPlane"]["instances"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                ["component", "node", "minor", "emulatedMinor", "from"].map(|field| one[field].as_str())
            })
            .collect()
    }
}

fn text(value: &Value) -> &str {
    value
        .as_str()
        .unwrap_or_else(|| panic!("a text was expected, not {value}"))
}

fn texts(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .unwrap_or_else(|| panic!("an array was expected, not {value}"))
        .iter()
        .map(text)
        .collect()
}
