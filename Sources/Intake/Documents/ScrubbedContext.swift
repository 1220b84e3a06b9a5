import Canonical
import Payments
import Redaction
import Vendors

/// The sender's facts beside the document, free of card data.
struct ScrubbedContext {
    private(set) var context: DocumentContext
    /// The kind of the document; an unknown one may be any text.
    private(set) var kind: String
    /// The app's reference. A reference with a card number in it is dropped: two masked numbers can be equal although
    /// the numbers were not, and would join two payments.
    private(set) var reference: String?
    /// The sender's key. One with a card number in it is dropped as well: its digest would be kept forever, and can be
    /// reversed by trying all numbers. The record's own identity still recognises a repeat.
    private(set) var idempotencyKey: String?
    private(set) var redactions: [RedactionNote] = []

    init(_ record: IntakeRecord) {
        context = record.context
        kind = record.kind
        context.merchant = scrubbed(record.context.merchant, "/merchant")
        context.terminal = scrubbed(record.context.terminal, "/terminal")
        context.device = scrubbed(record.context.device, "/device")
        kind = scrubbed(record.kind, "/kind") ?? ""
        reference = kept(record.transaction, "/transaction")
        context.namesPayment = reference != nil
        idempotencyKey = kept(record.idempotencyKey, "/idempotencyKey")
    }

    private mutating func kept(_ text: String?, _ path: String) -> String? {
        guard let text else { return nil }
        if TextScrubber().scrub(text).text == text { return text }
        redactions.append(RedactionNote(path: path, rule: "pan", action: "dropped"))
        return nil
    }

    private mutating func scrubbed(_ text: String?, _ path: String) -> String? {
        guard let text else { return nil }
        let clean = TextScrubber().scrub(text).text
        if clean != text { redactions.append(RedactionNote(path: path, rule: "pan", action: "masked")) }
        return clean
    }
}
