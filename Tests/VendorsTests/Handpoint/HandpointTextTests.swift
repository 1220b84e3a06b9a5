import Canonical
import Testing

@testable import Vendors

@Suite("Texts of Handpoint's receipts and details")
struct HandpointTextTests {
    @Test("The text of a receipt is bounded")
    func bounds() {
        #expect(ReceiptText.of(String(repeating: "receipt ", count: 20_000)).utf8.count <= ReceiptText.longestInBytes)
    }

    @Test("XML is read as the texts of its elements")
    func elements() {
        let object = ElementFields.object(
            from: "<?xml version=\"1.0\"?><R><A>1</A><B>a &amp; b</B><A>2</A><C/><D><E>x</E></D></R>"
        )
        #expect(object.members.map(\.key) == ["A", "B", "E"])
        #expect(object["A"] == "1" && object["B"] == "a & b" && object["E"] == "x")
    }
}
