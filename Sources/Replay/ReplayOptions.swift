package import ReplayRules

/// The operator's options for planning and executing replays.
package struct ReplayOptions: Sendable {
    /// The size up to which plans need no approver; by default every plan needs one.
    package var policy = ReplayPolicy()
    /// Overrides of written rules, as `rule=value`.
    package var overrides: [String] = []
    /// True when all gateways are stand-ins on this machine: then the rules against charging twice may be shortened.
    package var queriesOnlyStandIns = false
    /// The key that encrypts card tokens: 32 bytes. Without it no tokens are stored.
    package var vaultKey: [UInt8]?
    /// The number of items that are executed at a time.
    package var concurrent = 8
    /// The time after which a server that has stopped loses its lease on items, in seconds.
    package var leaseSeconds: Int64 = 60

    package init() {}
}

/// The rules by which an item is not attempted or ends, besides the rules that judge payments. The names are stable.
package enum ReplayRule: String, Sendable, Hashable, CaseIterable {
    /// The tenant has no gateway for the payment's merchant account.
    case noGateway = "gateway.none"
    /// The payment names no merchant account.
    case noAccount = "account.unknown"
    /// The payment may be at any of several gateways.
    case severalGateways = "gateway.several"
    /// The gateway that was called is no longer configured, and no other one knows the result.
    case gatewayGone = "gateway.gone"
    /// Daybook does not send this operation to the gateway; a reader performs it.
    case unsupported = "gateway.unsupported"
    /// The card has no token.
    case noToken = "replay.no-token"
    /// The tender needs the customer: debit, gift, loyalty, benefit cards, checks, wallets.
    case tender = "replay.tender"
    /// The card's token has changed since the plan was made.
    case otherCard = "replay.other-card"
    /// Data for the request is missing.
    case incomplete = "replay.incomplete-request"
    /// The gateway's answer to the query is not conclusive.
    case lookupUnclear = "lookup.unclear"
    /// The gateway rejected the request itself.
    case refused = "gateway.refused"
    /// Another payment with a reference of this one took effect or is in doubt.
    case linkedPayment = "sibling.linked"
    /// Another payment with the same app reference took effect or is in doubt.
    case sameReference = "sibling.reference"
    /// Another payment with the same invoice at the merchant took effect or is in doubt.
    case sameInvoice = "sibling.invoice"
    /// Another payment with the same card and amount at the merchant, at about that time or recently, took effect or
    /// is in doubt.
    case sameCard = "sibling.card"
    /// The plan expired before the item's turn.
    case expired = "replay.expired"
    case stopped = "replay.stopped"
    /// The plan's rules differ from this build's rules.
    case otherRules = "replay.other-rules"
}

extension ReplayRule {
    /// The meaning in words, without a full stop.
    package var meaning: String {
        switch self {
        case .noGateway: "no gateway is configured for its merchant account"
        case .noAccount: "its documents name no merchant account"
        case .severalGateways: "it may be at any of several gateways"
        case .gatewayGone: "the gateway that was called is no longer configured"
        case .unsupported: "Daybook does not send this operation to the gateway; a reader performs it"
        case .noToken: "the card has no token"
        case .otherCard: "the token of the card has changed since it was planned"
        case .incomplete: "the amount, or other data of the request, is missing"
        case .lookupUnclear: "the gateway was queried first, and its answer is not conclusive"
        case .refused: "the gateway rejected the request itself"
        case .linkedPayment: "another payment with a reference of this one took effect, or is in doubt"
        case .sameReference: "another payment with the same app reference took effect, or is in doubt"
        case .tender: "its tender needs the customer, so only a credit card is charged again"
        case .sameInvoice: "another payment of the same invoice took effect, or is in doubt"
        case .sameCard: "the same card was charged the same amount at about that time, or may have been"
        case .expired: "the plan had expired before its turn"
        case .stopped: "the plan was stopped before its turn"
        case .otherRules: "the rules of the plan differ from those of this build"
        }
    }

    /// The meaning of a written rule or of one of these; nil for a rule unknown to this build.
    package static func meaning(of id: String) -> String? {
        ReplayRule(rawValue: id)?.meaning ?? WrittenRules.meaning(of: id)
    }
}
