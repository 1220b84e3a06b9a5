import Canonical
import Payments
import Vendors

/// What the sender said beside the document, free of card data.
struct ScrubbedContext {
    private(set) var context: DocumentContext
    /// The app's reference. A reference with a card number in it is dropped: two masked numbers can be equal
    /// where the numbers were not, and would join two payments.
    private(set) var reference: String?
    private(set) var redactions: [RedactionNote] = []

    init(_ record: IntakeRecord) {
        context = record.context
        context.merchant = scrubbed(record.context.merchant, "/merchant")
        context.terminal = scrubbed(record.context.terminal, "/terminal")
        context.device = scrubbed(record.context.device, "/device")
        if let told = record.transaction {
            if TextScrubber().scrub(told).text == told {
                reference = told
            } else {
                redactions.append(RedactionNote(path: "/transaction", rule: "pan", action: "dropped"))
            }
        }
    }

    private mutating func scrubbed(_ text: String?, _ path: String) -> String? {
        guard let text else { return nil }
        let clean = TextScrubber().scrub(text).text
        if clean != text { redactions.append(RedactionNote(path: path, rule: "pan", action: "masked")) }
        return clean
    }
}
