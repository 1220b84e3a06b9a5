package import Canonical

/// The receipts that the reader or its vendor printed for one payment.
package struct ReaderReceiptsJSON: Codable, Sendable, Hashable {
    package var transaction: UUID128
    package var receipts: [ReaderReceiptJSON]
}

/// One receipt as its document has it after redaction.
package struct ReaderReceiptJSON: Codable, Sendable, Hashable {
    /// A field that the receipt prints otherwise than the ledger has it.
    package struct Difference: Codable, Sendable, Hashable {
        package enum Field: String, Codable, Sendable, Hashable, CaseIterable {
            case amount, time
            case lastFour = "last-four"
            case authorizationCode = "authorization-code"
        }

        package var field: Field
        package var printed: String
        package var recorded: String
    }

    /// `merchant` or `customer`, if the document states it.
    package var copy: String?
    /// The type of the event.
    package var event: String
    package var position: Int64
    package var recordedAt: Timestamp
    package var text: String
    package var differences: [Difference]
}
