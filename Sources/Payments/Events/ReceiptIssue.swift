/// Whose copy of a receipt it is.
package enum ReceiptCopy: String, Sendable, Hashable, Codable, CaseIterable {
    case customer, merchant
}

/// A receipt of the ledger was printed or handed out: the payload of `ReceiptIssued`. Each one counts, so that a
/// copy made again can say that it is one. What readers and SDKs print themselves is `ReceiptPrinted`.
package struct ReceiptIssue: Sendable, Hashable, Codable {
    package var copy: ReceiptCopy
    /// Why, in the words of who asked for it, scrubbed.
    package var reason: String?

    package init(copy: ReceiptCopy, reason: String? = nil) {
        self.copy = copy
        self.reason = reason
    }
}
