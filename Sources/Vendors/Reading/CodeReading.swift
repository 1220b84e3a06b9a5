import Payments

/// What an answer code means for the money.
package enum CodeMeaning: Sendable, Hashable {
    /// In full, or in part.
    case approved, partiallyApproved
    case declined, cancelled
    /// Refused before anything could be posted.
    case failed
    /// Nobody can say whether it was posted.
    case unknown
}

extension FollowUpRefusal.Outcome {
    /// Nil for what is no refusal.
    init?(_ meaning: CodeMeaning) {
        switch meaning {
        case .declined: self = .declined
        case .cancelled: self = .cancelled
        case .failed: self = .failed
        case .approved, .partiallyApproved, .unknown: return nil
        }
    }
}

extension Currency {
    /// A currency named by its letters in any case or its ISO 4217 number.
    init?(named text: String) {
        if let currency = Currency(alphaIgnoringCase: text) ?? Currency(numericText: text) {
            self = currency
        } else if let number = Int(text), let currency = Currency(numeric: number) {
            self = currency
        } else {
            return nil
        }
    }
}

extension CardPresentation {
    /// Nil when nothing is known about the card.
    var ifAnything: CardPresentation? { self == CardPresentation() ? nil : self }

    /// The last four digits of a masked number; nil when it does not end in four digits.
    static func lastFour(of masked: String?) -> String? {
        guard let masked, masked.utf8.count >= 8 else { return nil }
        let last = String(masked.suffix(4))
        return CardNumber.digits(last).map { _ in last }
    }
}
