import Canonical

/// The batch, within an account, in which a captured amount is settled.
///
/// A batch number is unique only within one account (Dejavoo: the TPN) and only until the host restarts its numbering.
package struct BatchReference: Sendable, Hashable, Codable {
    package let vendor: Vendor
    /// The terminal or merchant account of the batch; nil if the document does not name one.
    package let account: String?
    /// The number as the vendor prints it; nil until the gateway names a batch.
    package let number: String?

    package init(vendor: Vendor, account: String?, number: String?) {
        self.vendor = vendor
        self.account = account
        self.number = number
    }

    /// Compares bytes, because the batch's id is computed from bytes: texts that only look equal are different batches.
    package static func == (left: BatchReference, right: BatchReference) -> Bool {
        left.vendor == right.vendor && left.account.hasSameUTF8(as: right.account)
            && left.number.hasSameUTF8(as: right.number)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(vendor)
        // Canonically equivalent texts with different bytes may collide.
        hasher.combine(account)
        hasher.combine(number)
    }

    /// The reference as one line of text. Nil parts are written as `-`.
    package var text: String { "\(vendor.rawValue):\(account ?? "-"):\(number ?? "-")" }
}
