import Canonical

/// Which batch of which account a captured amount is settled in.
///
/// A batch number is only unique for one account (Dejavoo: the TPN) and only until the host starts over.
package struct BatchReference: Sendable, Hashable, Codable {
    package let vendor: Vendor
    /// The terminal or merchant account the batch belongs to; nil where the document does not name one.
    package let account: String?
    /// The number as the vendor prints it; nil while the gateway has not named a batch yet.
    package let number: String?

    package init(vendor: Vendor, account: String?, number: String?) {
        self.vendor = vendor
        self.account = account
        self.number = number
    }

    /// By bytes, as the batch's id is made of them: what only looks the same is another batch.
    package static func == (left: BatchReference, right: BatchReference) -> Bool {
        left.vendor == right.vendor && left.account.hasSameUTF8(as: right.account)
            && left.number.hasSameUTF8(as: right.number)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(vendor)
        // Equivalent texts that are not equal only collide.
        hasher.combine(account)
        hasher.combine(number)
    }

    /// One line that is equal exactly when the references are.
    package var text: String { "\(vendor.rawValue):\(account ?? "-"):\(number ?? "-")" }
}
