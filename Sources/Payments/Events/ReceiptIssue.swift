/// The recipient of a receipt copy.
package enum ReceiptCopy: String, Sendable, Hashable, Codable, CaseIterable {
    case customer, merchant
}

/// A receipt of the ledger was printed or handed out: the payload of `ReceiptIssued`. Every issue is counted, so that a
/// repeated copy can be marked as one. Receipts that readers and SDKs print are recorded as `ReceiptPrinted`.
package struct ReceiptIssue: Sendable, Hashable, Codable {
    package var copy: ReceiptCopy
    /// The reason, in the caller's words, scrubbed.
    package var reason: String?

    package init(copy: ReceiptCopy, reason: String? = nil) {
        self.copy = copy
        self.reason = reason
    }
}
