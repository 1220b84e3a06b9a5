/// The meaning of an answer's code for a resubmission.
package enum Treatment: Sendable, Hashable {
    /// The operation took effect.
    case posted
    /// The operation took effect in part.
    case postedInPart
    /// It is proven that the operation did not take effect.
    case notPosted
    /// The outcome is unknown: the gateway must be queried.
    case enquire
    /// The outcome is unknown. If queries do not settle it, the operation is reversed.
    case reverse
    /// Several operations match, and it is unknown which one it is: an operator must review it.
    case ambiguous
    /// The operation, or a similar one, already exists: an operator must link it to the original.
    case bind
    /// The operation is reversed or voided.
    case reversed
    /// A reversal found nothing to reverse.
    case nothingToReverse
    /// The operation may be resubmitted.
    case retry
    /// The operation may be resubmitted after some time.
    case retryLater
    /// The operation may be resubmitted once a query has proven that nothing was posted.
    case retryAfterEnquiry
    /// As `retryAfterEnquiry`, with a limited number of resubmissions.
    case retryOnce
    /// The operation may be resubmitted after this many seconds, 1 to 31,622,400.
    case wait(seconds: Int64)
    /// Something must be corrected first.
    case fix
    /// An operator must call the issuer or review the payment.
    case call
    /// The meaning differs between schemes.
    case byScheme
    /// The operation must not be resubmitted.
    case never
    /// The code says nothing about resubmission.
    case informative

    private static let plain: [String: Treatment] = [
        "posted": .posted, "posted-in-part": .postedInPart, "not-posted": .notPosted, "enquire": .enquire,
        "reverse": .reverse, "ambiguous": .ambiguous, "bind": .bind, "reversed": .reversed,
        "nothing-to-reverse": .nothingToReverse, "retry": .retry, "retry-later": .retryLater,
        "retry-after-enquiry": .retryAfterEnquiry, "retry-once": .retryOnce, "fix": .fix, "call": .call,
        "by-scheme": .byScheme, "never": .never, "informative": .informative,
    ]

    /// The longest wait in seconds: 366 days.
    package static let longestWait: Int64 = 366 * 86_400

    /// Reads `retry-later` or `wait 3600`; nil for any other text.
    package init?(_ text: String) {
        if let plain = Self.plain[text] {
            self = plain
            return
        }
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0] == "wait", let seconds = Int64(words[1]), (1...Self.longestWait) ~= seconds
        else { return nil }
        self = .wait(seconds: seconds)
    }

    /// The texts that a rule can contain.
    package static let names: [String] = plain.keys.sorted() + ["wait <seconds>"]

    /// True if money moved or may have moved.
    package var mayHaveMovedMoney: Bool {
        switch self {
        case .posted, .postedInPart, .enquire, .reverse, .ambiguous, .bind, .retryAfterEnquiry, .retryOnce: true
        case .notPosted, .reversed, .nothingToReverse, .retry, .retryLater, .wait, .fix, .call, .byScheme, .never,
            .informative:
            false
        }
    }

    /// The strictness. A tenant may replace a treatment by a stricter one.
    var care: Int {
        switch self {
        case .informative: 0
        case .retry, .notPosted, .nothingToReverse: 1
        case .retryLater, .wait: 2
        case .retryOnce, .retryAfterEnquiry: 3
        case .fix, .call, .byScheme: 4
        case .reversed, .bind, .ambiguous, .enquire, .reverse, .posted, .postedInPart: 5
        case .never: 6
        }
    }
}
