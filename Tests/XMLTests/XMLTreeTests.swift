import Testing
import XML

@Suite("XML tree")
struct XMLTreeTests {
    @Test("Elements are found by name and path")
    func places() throws {
        let tree = try XMLTree(parsing: Array("<a>\n<b>1</b><b>2</b>\n<c><d> \t3\n</d></c></a>".utf8))
        #expect(tree["b"]?.text == "1" && tree.all("b").map(\.text) == ["1", "2"])
        #expect(tree.at("c", "d")?.value == "3" && tree.at("c", "d")?.line == 3)
        #expect(tree["d"] == nil && tree.at("c", "b") == nil && tree.at() == tree)
        #expect(XMLTree("a", " \n").value.isEmpty)
    }

    @Test("Text is escaped, and what XML cannot hold is replaced")
    func writing() throws {
        var tree = XMLTree("a", attributes: ["y": "\"\n", "x": "<"])
        tree.add("b", "&<>\"'\r")
        tree.add("c", nil)
        tree.add("d", "\u{0}\u{FFFF}é")
        let xml = #"<a x="&lt;" y="&quot;&#10;"><b>&amp;&lt;&gt;&quot;&apos;&#13;</b>"# + "<d>\u{FFFD}\u{FFFD}é</d></a>"
        #expect(tree.xml == xml)
        let read = try XMLTree(parsing: Array(xml.utf8))
        #expect(read.attributes == tree.attributes && read["b"]?.text == "&<>\"'\r")
    }
}
