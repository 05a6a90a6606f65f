//! Tests of the module above.

use super::*;

#[test]
fn refusals_read_in_every_encoding() {
    let json = br#"{"kind":"Status","reason":"Forbidden","message":"User \"ann\" cannot list","code":403}"#;
    let RequestError::Status(status) = refusal(403, "application/json", Some(Encoding::Json), None, json)
    else {
        panic!("no status")
    };
    assert_eq!(status.reason.as_deref(), Some("Forbidden"));
    assert_eq!(status.user().as_deref(), Some("ann"));

    let mut status = proto::Status {
        code: 410,
        ..proto::Status::default()
    };
    status.reason = Bytes::from_static(b"Expired");
    let raw = status.encode_to_vec();
    let mut body = proto_list::MAGIC.to_vec();
    body.extend([0x12, u8::try_from(raw.len()).unwrap()]);
    body.extend(raw);
    let kind = Some(Encoding::Protobuf);
    let RequestError::Status(status) = refusal(410, "application/vnd.kubernetes.protobuf", kind, None, &body)
    else {
        panic!("no status")
    };
    assert_eq!((status.code, status.reason.as_deref()), (410, Some("Expired")));

    let plain = refusal(
        404,
        "text/plain; charset=utf-8",
        None,
        None,
        b"404 page not found\n",
    );
    assert_eq!(
        plain.to_string(),
        "the server answered 404 Not Found: 404 page not found"
    );
}

#[test]
fn a_login_page_is_named_and_a_gateways_page_keeps_its_status() {
    let page = b"<html><head><TITLE>\n Sign in\x1b[2J </TITLE></head>";
    let fault = refusal(200, "text/html; charset=utf-8", None, None, page);
    assert_eq!(
        fault.to_string(),
        "what answered is not a Kubernetes API server: status 200, text/html; charset=utf-8 titled \"Sign in\\u{1b}[2J\""
    );
    let gateway = refusal(502, "text/html", None, None, b"<title>502 Bad Gateway</title>");
    assert!(gateway.is_passing());
    assert_eq!(
        gateway.to_string(),
        "the server answered 502 Bad Gateway: 502 Bad Gateway"
    );
}

#[test]
fn what_is_no_success_is_never_an_answer() {
    for code in [201, 204, 206, 301, 302, 304] {
        let fault = refusal(code, "application/json", Some(Encoding::Json), None, b"{}");
        assert_eq!(fault.code(), Some(code));
    }
}

#[test]
fn content_types_are_read_with_their_parameters() {
    assert_eq!(encoding("application/JSON; charset=utf-8"), Some(Encoding::Json));
    assert_eq!(
        encoding("application/vnd.kubernetes.protobuf"),
        Some(Encoding::Protobuf)
    );
    assert_eq!(
        encoding("application/vnd.kubernetes.protobuf;stream=watch"),
        Some(Encoding::Protobuf)
    );
    assert_eq!(encoding("text/html"), None);
    assert_eq!(encoding(""), None);
}

#[test]
fn warnings_read_as_kubernetes_writes_them() {
    let text = |value| warning_text(value);
    assert_eq!(text(r#"299 - "v1 is old""#).as_deref(), Some("v1 is old"));
    assert_eq!(
        text(r#"299 agent "say \"hi\"" "Mon""#).as_deref(),
        Some("say \"hi\"")
    );
    for other in [r#"199 - "x""#, "299 - x", r#"299 - "x"#, ""] {
        assert_eq!(text(other), None, "{other}");
    }
}
