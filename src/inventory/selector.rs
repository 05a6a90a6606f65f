//! Selectors: kubectl's label selectors, and what names nodes or components on the command line.

use std::fmt;
use std::str::FromStr;

use super::component::Component;

/// Why a text is no selector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectorError {
    /// A requirement of a label selector does not read as one.
    #[error(
        "\"{}\" is no label requirement; write KEY=VALUE, KEY!=VALUE, KEY, !KEY, KEY in (A,B) or KEY notin (A,B)",
        .0.escape_debug()
    )]
    Requirement(String),
    /// A label key that Kubernetes does not take.
    #[error("\"{}\" is no label key", .0.escape_debug())]
    Key(String),
    /// A label value that Kubernetes does not take.
    #[error("\"{}\" is no label value", .0.escape_debug())]
    Value(String),
    /// Parentheses that do not match.
    #[error("the parentheses of \"{}\" do not match", .0.escape_debug())]
    Parentheses(String),
    /// A text that names neither nodes nor a component.
    #[error(
        "\"{}\" names neither nodes nor a component; write node/NAME, pool/NAME, a KEY=VALUE label, or a component such as kube-proxy",
        .0.escape_debug()
    )]
    NodeSelector(String),
}

/// A label selector by kubectl's grammar. One of no requirements selects everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    requirements: Vec<Requirement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Exists,
    Absent,
    In(Vec<String>),
    NotIn(Vec<String>),
}

impl Selector {
    /// Whether labels meet every requirement.
    pub fn matches(&self, labels: &[(String, String)]) -> bool {
        self.requirements.iter().all(|requirement| {
            let value = labels
                .iter()
                .find(|(key, _)| *key == requirement.key)
                .map(|(_, value)| value);
            match &requirement.test {
                Test::Exists => value.is_some(),
                Test::Absent => value.is_none(),
                Test::In(values) => value.is_some_and(|value| values.contains(value)),
                // As in kubectl, a label that is not there is in no set.
                Test::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
            }
        })
    }

    /// The label keys that it asks for.
    pub fn label_keys(&self) -> impl Iterator<Item = &str> {
        self.requirements
            .iter()
            .map(|requirement| requirement.key.as_str())
    }
}

impl FromStr for Selector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let requirements = split_outside_parentheses(text)?
            .into_iter()
            .map(|part| requirement(part.trim()))
            .collect::<Result<_, _>>()?;
        Ok(Self { requirements })
    }
}

fn split_outside_parentheses(text: &str) -> Result<Vec<&str>, SelectorError> {
    let unmatched = || SelectorError::Parentheses(text.to_owned());
    let (mut parts, mut start, mut inside) = (Vec::new(), 0, false);
    for (at, c) in text.char_indices() {
        match c {
            '(' if inside => return Err(unmatched()),
            '(' => inside = true,
            ')' if !inside => return Err(unmatched()),
            ')' => inside = false,
            ',' if !inside => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if inside {
        return Err(unmatched());
    }
    parts.push(&text[start..]);
    Ok(parts)
}

fn requirement(text: &str) -> Result<Requirement, SelectorError> {
    if let Some(key) = text.strip_prefix('!') {
        return build(key, Test::Absent);
    }
    if let Some((head, rest)) = text.split_once('(') {
        let values = rest
            .strip_suffix(')')
            .ok_or_else(|| SelectorError::Requirement(text.to_owned()))?
            .split(',')
            .map(|value| checked_value(value.trim()))
            .collect::<Result<Vec<_>, _>>()?;
        let mut words = head.split_whitespace();
        return match (words.next(), words.next(), words.next()) {
            (Some(key), Some("in"), None) => build(key, Test::In(values)),
            (Some(key), Some("notin"), None) => build(key, Test::NotIn(values)),
            _ => Err(SelectorError::Requirement(text.to_owned())),
        };
    }
    for (operator, is_in) in [("!=", false), ("==", true), ("=", true)] {
        if let Some((key, value)) = text.split_once(operator) {
            let values = vec![checked_value(value.trim())?];
            return build(
                key,
                if is_in {
                    Test::In(values)
                } else {
                    Test::NotIn(values)
                },
            );
        }
    }
    if text.is_empty() || text.split_whitespace().count() != 1 {
        return Err(SelectorError::Requirement(text.to_owned()));
    }
    build(text, Test::Exists)
}

fn build(key: &str, test: Test) -> Result<Requirement, SelectorError> {
    Ok(Requirement {
        key: checked_key(key.trim())?,
        test,
    })
}

fn checked_key(key: &str) -> Result<String, SelectorError> {
    let name = match key.split_once('/') {
        Some((prefix, name)) => {
            let is_domain = !prefix.is_empty()
                && prefix.len() <= 253
                && prefix
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.'));
            is_domain.then_some(name)
        }
        None => Some(key),
    };
    match name {
        Some(name) if !name.is_empty() && is_label_word(name) => Ok(key.to_owned()),
        _ => Err(SelectorError::Key(key.to_owned())),
    }
}

fn checked_value(value: &str) -> Result<String, SelectorError> {
    if is_label_word(value) {
        Ok(value.to_owned())
    } else {
        Err(SelectorError::Value(value.to_owned()))
    }
}

/// What a label's name and value may be: up to 63 letters, digits, `-`, `_`, `.`, no sign at either end.
fn is_label_word(word: &str) -> bool {
    let is_end = |c: char| c.is_ascii_alphanumeric();
    word.is_empty()
        || word.len() <= 63
            && word.starts_with(is_end)
            && word.ends_with(is_end)
            && word
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// What `--assume` and `--exclude` name: nodes, or a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeSelector {
    /// `node/NAME`.
    Node(String),
    /// `pool/NAME`.
    Pool(String),
    /// `KEY=VALUE`: nodes with that label.
    Label(String, String),
    /// A component, wherever it runs.
    Component(Component),
}

impl NodeSelector {
    /// Whether it names that node; a component names none.
    pub fn matches(&self, node: &super::node::Node) -> bool {
        match self {
            Self::Node(name) => node.name == *name,
            Self::Pool(pool) => node.pool.as_ref() == Some(pool),
            Self::Label(key, value) => node.labels.iter().any(|(k, v)| k == key && v == value),
            Self::Component(_) => false,
        }
    }

    /// The label keys that it asks for.
    pub fn label_keys(&self) -> impl Iterator<Item = &str> {
        match self {
            Self::Label(key, _) => Some(key.as_str()),
            _ => None,
        }
        .into_iter()
    }
}

impl FromStr for NodeSelector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        // A label key may start with `node/` or `pool/` as well; what has a `=` is a label.
        if let Some((key, value)) = text.split_once('=') {
            return Ok(Self::Label(checked_key(key)?, checked_value(value)?));
        }
        let unknown = || SelectorError::NodeSelector(text.to_owned());
        match text.split_once('/') {
            Some((_, "")) => Err(unknown()),
            Some(("node" | "nodes" | "no", name)) => Ok(Self::Node(name.to_owned())),
            Some(("pool", name)) => Ok(Self::Pool(name.to_owned())),
            Some(_) => Err(unknown()),
            None => Component::named(text).map(Self::Component).ok_or_else(unknown),
        }
    }
}

impl fmt::Display for NodeSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(name) => write!(f, "node/{name}"),
            Self::Pool(name) => write!(f, "pool/{name}"),
            Self::Label(key, value) => write!(f, "{key}={value}"),
            Self::Component(component) => write!(f, "{component}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect()
    }

    #[test]
    fn selectors_select_as_kubectl_does() {
        let node = labels(&[("pool", "gpu"), ("zone", "a"), ("empty", "")]);
        for (text, want) in [
            ("", true),
            ("pool=gpu", true),
            ("pool==gpu", true),
            ("pool = gpu", true),
            ("pool=cpu", false),
            ("pool!=cpu", true),
            ("pool!=gpu", false),
            ("missing!=x", true),
            ("pool", true),
            ("missing", false),
            ("!missing", true),
            ("!pool", false),
            ("pool in (cpu, gpu)", true),
            ("pool in (cpu)", false),
            ("pool notin (cpu)", true),
            ("pool notin (gpu,cpu)", false),
            ("missing notin (a)", true),
            ("pool=gpu,zone=a", true),
            ("pool=gpu,zone=b", false),
            ("pool in (gpu,cpu),zone notin (b,c),!missing", true),
            ("empty=", true),
            ("zone=", false),
        ] {
            assert_eq!(text.parse::<Selector>().unwrap().matches(&node), want, "{text}");
        }
    }

    #[test]
    fn what_is_no_selector_is_refused() {
        for text in [
            "pool=gpu,",
            ",",
            "=x",
            "a b",
            "pool in gpu",
            "pool in (gpu",
            "pool) in (gpu",
            "pool is (gpu)",
            "pool=g u",
            "-pool=x",
            "a/b/c=x",
            "Prefix.IO/x=y",
            "/x=y",
            "pool=-",
            "pool>1",
            "in (a)",
        ] {
            assert!(text.parse::<Selector>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_selector_names_the_keys_it_asks_for() {
        let selector: Selector = "a=1,!b,c in (x)".parse().unwrap();
        assert_eq!(selector.label_keys().collect::<Vec<_>>(), ["a", "b", "c"]);
    }

    #[test]
    fn node_selectors_tell_nodes_pools_labels_and_components_apart() {
        let parse = |text: &str| text.parse::<NodeSelector>();
        assert_eq!(parse("node/web-1"), Ok(NodeSelector::Node("web-1".to_owned())));
        assert_eq!(parse("pool/gpu"), Ok(NodeSelector::Pool("gpu".to_owned())));
        assert_eq!(
            parse("topology.kubernetes.io/zone=a"),
            Ok(NodeSelector::Label(
                "topology.kubernetes.io/zone".to_owned(),
                "a".to_owned()
            ))
        );
        assert_eq!(
            parse("kube-proxy"),
            Ok(NodeSelector::Component(Component::KubeProxy))
        );
        for text in ["", "node/", "kube", "web-1", "pod/x", "=x"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(parse("pool/gpu").unwrap().to_string(), "pool/gpu");
    }
}
