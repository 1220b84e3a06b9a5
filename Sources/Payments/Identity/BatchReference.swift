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

    /// One line that is equal exactly when the references are.
    package var text: String { "\(vendor.rawValue):\(account ?? "-"):\(number ?? "-")" }
}
