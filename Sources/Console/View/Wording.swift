import Canonical
import Payments
import ReplayRules

/// The texts for names and figures of the ledger.
enum Wording {
    /// `in-doubt` and `AuthorizationApproved` as `In doubt` and `Authorization approved`.
    static func sentence(_ name: String) -> String {
        var words: [String] = []
        var word = ""
        let characters = Array(name)
        for (index, character) in characters.enumerated() {
            if character == "-" || character == "_" || character == " " {
                words.append(word)
                word = ""
                continue
            }
            let isBeforeSmall = index + 1 < characters.count && characters[index + 1].isLowercase
            let isAfterSmall = index > 0 && characters[index - 1].isLowercase
            if character.isUppercase, !word.isEmpty, isAfterSmall || isBeforeSmall {
                words.append(word)
                word = ""
            }
            word.append(character)
        }
        words.append(word)
        let text = words.filter { !$0.isEmpty }
            .map { $0.count > 1 && $0.allSatisfy(\.isUppercase) ? $0 : $0.lowercased() }
            .joined(separator: " ")
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    /// Minor units as a figure with all decimals of the currency.
    static func money(_ value: Int64, _ alpha: String) -> String {
        guard let currency = Currency(alpha: alpha) else { return "\(value) \(alpha) (minor units)" }
        return Money(value, currency).description
    }

    /// An amount if there is a currency, else a count.
    static func figure(_ value: Int64, _ alpha: String?) -> String { alpha.map { money(value, $0) } ?? "\(value)" }

    /// `3 d`, `5 h`, `12 min`, `40 s`; a device's clock may be ahead.
    static func age(_ seconds: Int64) -> String {
        switch max(0, seconds) {
        case let seconds where seconds >= 172_800: "\(seconds / 86_400) d"
        case let seconds where seconds >= 7_200: "\(seconds / 3_600) h"
        case let seconds where seconds >= 120: "\(seconds / 60) min"
        case let seconds: "\(seconds) s"
        }
    }

    /// Hundredths of a percent as `33.33 %`.
    static func percent(basisPoints: Int64) -> String {
        "\(basisPoints / 100).\(basisPoints % 100 / 10)\(basisPoints % 10) %"
    }

    /// Hundredths of a basis point as `20.50`.
    static func basisPoints(hundredths: Int64) -> String {
        let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        return "\(hundredths < 0 ? "-" : "")\(whole).\(rest / 10)\(rest % 10)"
    }

    /// The names of vendors, in their own spelling.
    static func vendor(_ name: String) -> String {
        Vendor(rawValue: name)?.displayName ?? sentence(name)
    }

    /// The tone of a status.
    static func tone(ofStatus status: String) -> Cell.Tone {
        switch TransactionStatus(rawValue: status) {
        case .captured, .settled, .funded, .authorized, .credited, .verified, .completed, .partiallyCaptured: .good
        case .inDoubt, .partiallyApproved, .requested, .partiallyRefunded, .refunded: .caution
        case .chargedBack, .settlementRejected, .failed, .declined: .bad
        default: .plain
        }
    }

    /// A disposition as a badge.
    static func disposition(_ name: Disposition.Name) -> Cell {
        switch name {
        case .resubmit: .badge("Resubmit", .good)
        case .alreadyPosted: .badge("Already posted", .plain)
        case .never: .badge("Never", .bad)
        case .waitUntil: .badge("Wait", .caution)
        case .needsPerson: .badge("Needs review", .caution)
        }
    }

    /// The name of a disposition in a sentence.
    static func words(_ disposition: Disposition.Name) -> String {
        switch disposition {
        case .resubmit: "to resubmit"
        case .alreadyPosted: "already posted"
        case .never: "never"
        case .waitUntil: "to wait"
        case .needsPerson: "for review"
        }
    }

    /// `rule: explanation`, or only the rule if this build does not know it.
    static func why(_ rule: String, _ explanation: String?) -> String {
        explanation.map { "\(rule): \($0)" } ?? rule
    }
}
