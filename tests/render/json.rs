//! JSON and YAML against the committed schema, and against each other.

use kubectl_skew::render::{Format, json};

use crate::samples;
use crate::{piped, rendered};
use serde_json::Value;

fn parsed(report: &kubectl_skew::report::Report) -> Value {
    serde_json::from_str(&rendered(report, Format::Json, &piped())).unwrap()
}

#[test]
fn the_committed_schema_is_the_one_of_the_output_types() {
    let derived = serde_json::to_string_pretty(&json::schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write("src/render/schema.json", derived).unwrap();
        return;
    }
    assert_eq!(
        json::SCHEMA,
        derived,
        "write it anew with UPDATE_SCHEMA=1 cargo test --test render"
    );
}

#[test]
fn every_sample_meets_the_schema_and_a_stray_field_does_not() {
    let schema: Value = serde_json::from_str(json::SCHEMA).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    for (name, report) in samples::all() {
        let value = parsed(&report);
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        let mut stray = value.clone();
        stray["nodes"] = serde_json::json!([{"name": "a"}]);
        assert!(
            !validator.is_valid(&stray),
            "{name}: a node with nothing but a name"
        );
        let mut stray = value;
        stray["surprise"] = Value::Null;
        assert!(
            !validator.is_valid(&stray),
            "{name}: a field that is not published"
        );
    }
}

#[test]
fn yaml_is_the_same_value() {
    for (name, report) in samples::all() {
        let yaml: Value = serde_saphyr::from_str(&rendered(&report, Format::Yaml, &piped())).unwrap();
        assert_eq!(yaml, parsed(&report), "{name}");
    }
}

#[test]
fn the_fields_stand_as_published_and_in_that_order() {
    let text = rendered(&samples::every_step(), Format::Json, &piped());
    let top: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("  \"")?.split_once('"').map(|(key, _)| key))
        .collect();
    assert_eq!(
        top,
        "apiVersion kind tool source policy serverVersion target verdict ready inPolicy gate summary pools controlPlane kubectl \
         nodes strayKubeProxies path plan platform findings notAssessed laggingKubelets assumed excluded"
            .split(' ')
            .collect::<Vec<_>>()
    );
    let value = parsed(&samples::every_step());
    let keys = |value: &Value| {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys.join(" ")
    };
    assert_eq!(
        keys(&value["source"]),
        "apiServer capturedAt context files mode skipped"
    );
    assert_eq!(keys(&value["policy"]), "detectedFrom name source");
    assert_eq!(keys(&value["gate"]), "allowIncomplete exitCode failOn passed");
    assert_eq!(
        keys(&value["controlPlane"]),
        "instances minCompatibility newest oldest running"
    );
    assert_eq!(
        keys(&value["controlPlane"]["instances"][0]),
        "component emulatedMinor from image judged minor name node version"
    );
    assert_eq!(
        keys(&value["nodes"][0]),
        "bound cordoned excluded goodUntil hops isOutToday kubeProxy kubelet lagging name now os pairDistance pool ready roles virtual zone"
    );
    assert_eq!(
        keys(&value["nodes"][0]["kubeProxy"][0]),
        "image minor pod version"
    );
    assert_eq!(keys(&value["nodes"][0]["now"]), "kubeProxy kubelet reasons state");
    assert_eq!(
        keys(&value["nodes"][0]["hops"][0]),
        "kubeProxy kubelet minor reasons state"
    );
    assert_eq!(
        keys(&value["pools"][0]),
        "cordoned goodUntil hops judged kubeProxies kubelets name nodes now ready steps"
    );
    assert_eq!(
        keys(&value["summary"]),
        "judged moveFirst moveFirstProxyOnly nodes notAssessed outToday text"
    );
    assert_eq!(
        keys(&value["path"][0]),
        "added carried from moveFirst resolved to verdict"
    );
    assert_eq!(
        keys(&value["plan"]),
        "alternatives finishNodes hops kubeProxyUpdates lowerBound nodeRolls obstacle optional proved remaining steps \
         unplanned wholePools windows"
    );
    assert_eq!(
        keys(&value["plan"]["steps"][0]),
        "commands component drain from goingBack kind kubeProxyOf nodes notes number pools reason to window workload"
    );
    assert_eq!(
        keys(&value["findings"][0]),
        "citations component detail key limit nodes pools remediation severity steps title upstreamLimit versions"
    );
    assert_eq!(
        keys(&value["notAssessed"][0]),
        "capability grant moreObjects objects partial reason required skipped verify"
    );
}

#[test]
fn minors_are_strings_and_what_is_absent_is_null() {
    let value = parsed(&samples::blocked());
    assert_eq!(value["controlPlane"]["oldest"], "1.34");
    assert_eq!(value["nodes"][0]["goodUntil"], "1.33");
    assert_eq!(value["target"], "1.37");
    let unread = value["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|node| node["name"] == "web-2")
        .unwrap();
    assert_eq!(unread["kubeProxy"][0]["version"], Value::Null);
    assert_eq!(unread["kubeProxy"][0]["minor"], Value::Null);
    let value = parsed(&samples::unreachable());
    assert_eq!(value["controlPlane"]["oldest"], Value::Null);
    assert_eq!(value["plan"], Value::Null);
    assert_eq!(value["kubectl"], Value::Null);
    assert_eq!(parsed(&samples::patch())["target"], "1.36.5");
    let never = kubectl_skew::report::Gate {
        fail_on: None,
        ..samples::ready().gate
    };
    let report = kubectl_skew::report::Report {
        gate: never,
        ..samples::ready()
    };
    assert_eq!(parsed(&report)["gate"]["failOn"], "never");
}
