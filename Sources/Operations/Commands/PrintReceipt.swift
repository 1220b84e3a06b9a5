package import Canonical
package import Intake
package import Payments

/// A report that a copy of a receipt was printed.
package struct PrintReceipt: Sendable, Hashable {
    package var copy: ReceiptCopy
    package var reason: String?

    /// In Unicode scalars, the characters of `maxLength` in the OpenAPI document.
    private static let mostReasonCharacters = 200

    /// `{"copy": "customer", "reason": "lost"}`; the reason may be left out.
    ///
    /// - Throws: `malformed-record`.
    package init(reading json: JSONValue) throws(IntakeProblem) {
        let body = try CommandBody(json, members: ["copy", "reason"])
        guard let copy = body["copy"]?.string.flatMap(ReceiptCopy.init(rawValue:)) else {
            throw IntakeProblem(.malformedRecord, "The copy is `customer` or `merchant`.", pointer: "/copy")
        }
        self.copy = copy
        guard let reported = body["reason"] else { return }
        guard let text = reported.string, (1...Self.mostReasonCharacters).contains(text.unicodeScalars.count) else {
            throw IntakeProblem(
                .malformedRecord,
                "A reason is a text of 1 to \(Self.mostReasonCharacters) characters.",
                pointer: "/reason"
            )
        }
        reason = text
    }
}
