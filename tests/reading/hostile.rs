//! A page of texts that try to break out of a format, each beside the form in which it is shown to people. JSON and
//! YAML give it back as it was.

/// A text as it was written, and as it is shown.
pub(crate) type Text = (&'static str, &'static str);

/// The page. None of them starts or ends with a blank, which the API server would refuse in an image.
pub(crate) const PAGE: [Text; 25] = [
    ("esc\u{1b}[31mred\u{1b}[0m", r"esc\u{1b}[31mred\u{1b}[0m"),
    (
        "title\u{1b}]0;pwned\u{7}\u{1b}]8;;http:x\u{1b}\\link",
        r"title\u{1b}]0;pwned\u{7}\u{1b}]8;;http:x\u{1b}\link",
    ),
    ("csi\u{9b}2Jclear\u{84}", r"csi\u{9b}2Jclear\u{84}"),
    (
        "nul\u{0}del\u{7f}bell\u{7}back\u{8}",
        r"nul\u{0}del\u{7f}bell\u{7}back\u{8}",
    ),
    ("]]><script>alert(1)</script>", "]]><script>alert(1)</script>"),
    (
        "\"><img src=x onerror=alert(1)>",
        "\"><img src=x onerror=alert(1)>",
    ),
    (
        "</style><svg onload=alert(1)><!--",
        "</style><svg onload=alert(1)><!--",
    ),
    ("=cmd|' /C calc'!A0", "=cmd|' /C calc'!A0"),
    ("+1+1", "+1+1"),
    ("-2+3", "-2+3"),
    ("@SUM(A1)", "@SUM(A1)"),
    ("＝1＋1", "＝1＋1"),
    ("pipe|back`tick``three```", "pipe|back`tick``three```"),
    (
        "[link](javascript:alert(1)) *b* _i_ #1 @user <!-- -->",
        "[link](javascript:alert(1)) *b* _i_ #1 @user <!-- -->",
    ),
    (
        "right\u{202e}to\u{200f}left\u{2066}",
        r"right\u{202e}to\u{200f}left\u{2066}",
    ),
    (
        "zero\u{200b}width\u{feff}joined\u{2060}",
        r"zero\u{200b}width\u{feff}joined\u{2060}",
    ),
    ("line\nbreak\r\n\ttab", r"line\nbreak\r\n\ttab"),
    (
        "para\u{2028}graph\u{2029}next\u{85}line",
        r"para\u{2028}graph\u{2029}next\u{85}line",
    ),
    ("e\u{301}\u{302}combining", "e\u{301}\u{302}combining"),
    ("節点-全角", "節点-全角"),
    ("rocket-🚀-👩\u{200d}🚀", r"rocket-🚀-👩\u{200d}🚀"),
    (
        "&amp; <b> 'quote' \"double\" \\back",
        "&amp; <b> 'quote' \"double\" \\back",
    ),
    (
        "yes: no # {a: 1}, - &anchor *alias !tag %",
        "yes: no # {a: 1}, - &anchor *alias !tag %",
    ),
    (
        "https://evil.example www.evil.example",
        "https://evil.example www.evil.example",
    ),
    (LONG_NAME, LONG_NAME),
];

/// 253 characters: the longest name that Kubernetes takes.
pub(crate) const LONG_NAME: &str = "long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-end";
