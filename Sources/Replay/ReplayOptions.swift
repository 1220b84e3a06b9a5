package import ReplayRules

/// How replays are planned and carried out, as whoever runs the service says.
package struct ReplayOptions: Sendable {
    /// How small a plan goes without another person; none does if left out.
    package var policy = ReplayPolicy()
    /// `rule=value`, in the place of written rules.
    package var overrides: [String] = []
    /// True where only stand-ins on this machine are asked: what guards against charging twice may be shortened.
    package var asksOnlyStandIns = false
    /// What tokens of cards are sealed with: 32 bytes; without it none is kept.
    package var vaultKey: [UInt8]?
    /// How many items are asked of gateways at a time.
    package var concurrent = 8
    /// How long an item is held by a server that says nothing more, in seconds.
    package var leaseSeconds: Int64 = 60

    package init() {}
}

/// The rules by which an item is not attempted, or ends, beside those that judge payments. Stable names.
package enum ReplayRule: String, Sendable, Hashable, CaseIterable {
    /// No gateway is set up that could be asked.
    case noGateway = "gateway.none"
    /// The payment may be at any of several gateways.
    case severalGateways = "gateway.several"
    /// The gateway that was called is not set up any more; no other one knows what it did.
    case gatewayGone = "gateway.gone"
    /// Its gateway is not asked for this by Daybook: a reader does it.
    case unsupported = "gateway.unsupported"
    /// Nothing stands for the card.
    case noToken = "replay.no-token"
    /// Something else stands for the card than when it was planned.
    case otherCard = "replay.other-card"
    /// What to ask for is not known well enough.
    case incomplete = "replay.incomplete-request"
    /// The gateway does not say for certain what it has of the payment.
    case lookupUnclear = "lookup.unclear"
    /// The gateway refused the request as such.
    case refused = "gateway.refused"
    /// Another payment that took effect, or is in doubt, was told under a name of this one.
    case linkedPayment = "sibling.linked"
    /// Another one with the same reference of the app took effect, or is in doubt.
    case sameReference = "sibling.reference"
    /// Another one with the same invoice at the merchant.
    case sameInvoice = "sibling.invoice"
    /// Another one with the same card for the same amount at the merchant, at about that time or not long ago.
    case sameCard = "sibling.card"
    /// The plan ended before it was its turn.
    case expired = "replay.expired"
    case stopped = "replay.stopped"
    /// The rules of the plan are not those of this build.
    case otherRules = "replay.other-rules"
}

extension ReplayRule {
    /// What it says, for people; without a full stop.
    package var meaning: String {
        switch self {
        case .noGateway: "no gateway is set up that could be asked"
        case .severalGateways: "it may be at any of several gateways"
        case .gatewayGone: "the gateway that was called is not set up any more"
        case .unsupported: "its gateway is not asked for this by Daybook: a reader does it"
        case .noToken: "nothing stands for the card"
        case .otherCard: "something else stands for the card than when it was planned"
        case .incomplete: "the amount, or what else the request needs, is not known"
        case .lookupUnclear: "asked first, the gateway did not say for certain what it has"
        case .refused: "the gateway refused the request as such"
        case .linkedPayment: "another payment, which took effect or is in doubt, was told under a name of this one"
        case .sameReference: "another payment that the app calls the same took effect, or is in doubt"
        case .sameInvoice: "another payment of the same invoice took effect, or is in doubt"
        case .sameCard: "the same card was charged the same amount at about that time, or may have been"
        case .expired: "the plan had expired before its turn"
        case .stopped: "the plan was stopped before its turn"
        case .otherRules: "the rules of the plan are not those of this build any more"
        }
    }

    /// What a rule says by which something was judged, a written one or one of these; nil for one that this build does
    /// not know.
    package static func meaning(of id: String) -> String? {
        ReplayRule(rawValue: id)?.meaning ?? WrittenRules.meaning(of: id)
    }
}
