import Canonical
import DaybookTestKit
import Testing

@testable import Redaction

@Suite("Markup")
struct MarkupTests {
    @Test(
        "Structure and text stay, active content is removed",
        arguments: [
            ("<p>a</p>", "<p>a</p>"), ("a<br/>b", "a<br>b"), ("<P CLASS=x>a", "<p class=\"x\">a</p>"),
            ("<div onclick='x()' id=\"1\">a</div>", "<div id=\"1\">a</div>"),
            ("<script>alert('<p>')</script>b", "b"), ("<SCRIPT src=//x/y></SCRIPT>b", "b"),
            ("<scr<script></script>ipt>x", "ipt&gt;x"), ("<img src=x onerror=y>a", "a"),
            ("<a href='javascript:x'>a</a>", "a"), ("<svg><script>x</script><p>y</p></svg>z", "z"),
            ("<iframe src=x>y</iframe>z", "z"), ("<!-- x --><!DOCTYPE html><?php x ?>a", "a"),
            ("<style>p{background:url(x)}</style>a", "a"),
            ("<p style=\"color:red\">a</p>", "<p style=\"color:red\">a</p>"),
            ("<p style=\"background:url(//x)\">a</p>", "<p>a</p>"), ("<p style='a\\75rl'>a</p>", "<p>a</p>"),
            ("1 < 2 & 3 > 2", "1 &lt; 2 &amp; 3 &gt; 2"), ("&#60;script&#62;x", "&lt;script&gt;x"),
            ("&amp;lt;&nosuch;&#x41;&#65", "&amp;lt;&amp;nosuch;AA"), ("</p>a</div>", "a"),
            ("<p title=\"a>b\">c", "<p>c</p>"), ("<p", "<p></p>"), ("<p a='", "<p></p>"), ("<", "&lt;"), ("", ""),
            ("<b><i>x</b>y</i>", "<b><i>x</i></b>y"), ("<meta http-equiv=refresh content=x><base href=x>a", "a"),
            ("<form action=x><input value=y>a</form>", "a"), ("<title>x</title>a", "a"), ("&#0;", "\u{FFFD}"),
        ]
    )
    func cleaning(source: String, html: String) {
        #expect(Markup(source).html == html)
        #expect(Markup(html).html == html)
        #expect(!Markup(html).isReduced)
    }

    @Test(
        "The text is the visible text",
        arguments: [
            ("<div>a</div><div>b</div>", "a\nb"), ("a<br>b<br/><br/>c", "a\nb\nc"), ("a  \n b", "a b"),
            ("<table><tr><td>a</td><td>1</td></tr><tr><td>b</td></tr></table>", "a 1\nb"), ("<b>a</b>b", "ab"),
            ("<pre>a\n b</pre>", "a\nb"), ("  ", ""), ("<p>4111<b>1111</b></p>", "41111111"),
        ]
    )
    func texts(source: String, text: String) {
        #expect(Markup(source).text == text)
    }

    @Test("Any text becomes stable markup without active content", arguments: 0..<40 as Range<UInt64>)
    func properties(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let parts = [
            "<", ">", "</", "/>", "<p", "<script", "</script>", "<style>", "</style>", "<svg>", "</svg>", "<br",
            " onx=",
            "'", "\"", "=", "&", "&#", "x41;", ";", "a", " ", "\n", "<!--", "-->", "href=javascript:x", "style='",
            "<td>", "</td>", "é", "4111 1111 1111 1111", "<pre>", "]]>", "<![CDATA[", "\\", "url(",
        ]
        for _ in 0..<60 {
            let source = (0..<Int.random(in: 0...30, using: &generator))
                .map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
            let markup = Markup(source)
            let html = markup.html
            #expect(Markup(html).html == html)
            #expect(Markup(html).text == markup.text)
            let names = MarkupTokens(html).compactMap { token -> String? in
                if case .open(let name, _, _) = token { name } else { nil }
            }
            #expect(Set(names).isSubset(of: ["p", "br", "td", "pre"]))
            for token in MarkupTokens(html) {
                guard case .open(_, let attributes, _) = token else { continue }
                #expect(attributes.allSatisfy { $0.name == "style" && !$0.value.contains("(") })
            }
        }
    }

    @Test("Depth and length are bounded")
    func bounds() {
        let deep = String(repeating: "<div>", count: 20_000) + "x"
        let html = Markup(deep).html
        #expect(html.utf8.count == 64 * 11 + 1)
        #expect(Markup(String(repeating: "<", count: 20_000)).text.utf8.count == 20_000)
        #expect(Markup(String(repeating: "<script>", count: 20_000)).html.isEmpty)
        #expect(Markup(String(repeating: "&", count: 20_000)).text.utf8.count == 20_000)
    }
}
