package import Canonical
package import Payments

/// Counts of the payments of one reader or cashier.
package struct ReaderRates: Sendable, Hashable {
    /// The key by which payments are grouped.
    package enum Key: String, Codable, Sendable, Hashable, CaseIterable {
        case reader, cashier
    }

    /// The vendor of the reader; nil for payments without a reader, and for a cashier.
    package var vendor: Vendor?
    /// The name of the reader or cashier; nil for payments that name none.
    package var name: String?
    package var payments: Int64
    /// Payments that were approved, partially approved or declined.
    package var decided: Int64
    package var declined: Int64
    /// Payments for which a signature was asked.
    package var signatures: Int64
    package var signatureTimeouts: Int64
    /// Payments for which a PIN was asked.
    package var pins: Int64
    /// Payments for which a PIN was asked, and left out.
    package var pinBypasses: Int64

    /// A share in hundredths of a percent, rounded to the nearest; nil of nothing.
    package static func basisPoints(_ part: Int64, of whole: Int64) -> Int64? {
        whole > 0 ? Int64((Int128(part) * 20_000 + Int128(whole)) / (Int128(whole) * 2)) : nil
    }
}

/// The conditions on the counted payments. Everything set must hold.
package struct ReaderRatesFilter: Sendable, Hashable {
    package var occurredFrom: Timestamp?
    package var occurredBefore: Timestamp?
    package var merchant: String?
    package var vendor: Vendor?

    package init() {}
}
