import Canonical

/// The ways in which a payment names its merchant, the best first. A name has one role in a payment.
package enum MerchantRole: String, Sendable, Hashable, CaseIterable {
    /// As the sender of its documents names it.
    case sender
    /// The merchant at the processor.
    case processor
    /// The account at the gateway.
    case account
}

extension TransactionState {
    /// The merchant by its best name: the payment is searched and counted by it.
    package var merchant: String? { merchant(as: .sender) ?? merchant(as: .processor) ?? merchant(as: .account) }

    /// The merchant's name in a role; nil if none is reported.
    package func merchant(as role: MerchantRole) -> String? {
        switch role {
        case .sender: identity.merchant
        case .account: references.gatewayAccount
        // Earlier events and some adapters repeat another name here.
        case .processor:
            [identity.merchant, references.gatewayAccount].contains { references.merchant.hasSameUTF8(as: $0) }
                ? nil : references.merchant
        }
    }
}

extension TransactionState {
    /// The vendor of the payment's documents, or else the one that its batches or reader name. A payment reported only
    /// in the ledger's own form has no document that names the vendor.
    package var vendor: Vendor? {
        if let vendor = identity.vendor { return vendor }
        let batches = captures.map { $0.settledIn ?? $0.batch } + refunds.map { $0.settledIn ?? $0.batch }
        return (batches + [credit?.settledIn ?? credit?.batch]).lazy.compactMap { $0?.vendor }.first
            ?? identity.cardReader?.vendor
    }
}
