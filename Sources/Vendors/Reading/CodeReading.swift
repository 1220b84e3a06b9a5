import Payments
import Redaction

/// The meaning of an answer code for the money.
package enum CodeMeaning: Sendable, Hashable {
    /// In full, or in part.
    case approved, partiallyApproved
    case declined, cancelled
    /// Refused before anything could be posted.
    case failed
    /// It is unknown whether it was posted.
    case unknown
}

extension FollowUpRefusal.Outcome {
    /// Nil for a meaning that is not a refusal.
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
    /// Nil if no field of the card is set.
    var ifAnything: CardPresentation? { self == CardPresentation() ? nil : self }

    /// The last four digits of a masked number; nil if it does not end in four digits.
    static func lastFour(of masked: String?) -> String? {
        guard let masked, masked.utf8.count >= 8 else { return nil }
        let last = String(masked.suffix(4))
        return CardNumber.digits(last).map { _ in last }
    }
}
