/// What an answer's code means for whoever would like to ask for the same again.
package enum Treatment: Sendable, Hashable {
    /// What was asked for took effect.
    case posted
    /// A part of it did.
    case postedInPart
    /// It did not, and that is proven.
    case notPosted
    /// Nobody knows: it has to be found out.
    case enquire
    /// Nobody knows; where nothing is found out it is reversed.
    case reverse
    /// Nobody knows which of several it is: a person looks.
    case ambiguous
    /// It is there already, or something like it: to be bound to the original by a person.
    case bind
    /// It is reversed or voided.
    case reversed
    /// A reversal found nothing to reverse.
    case nothingToReverse
    /// May be asked for again.
    case retry
    /// May be asked for again after some time.
    case retryLater
    /// May be asked for again once an enquiry has shown that nothing was posted.
    case retryAfterEnquiry
    /// The same, and only so many times.
    case retryOnce
    /// May be asked for again after so many seconds, 1 to 31,622,400.
    case wait(seconds: Int64)
    /// Something has to be put right first.
    case fix
    /// Somebody has to call, or to look.
    case call
    /// Schemes mean different things by it.
    case byScheme
    /// Not to be asked for again.
    case never
    /// Says nothing about asking again.
    case informative

    private static let plain: [String: Treatment] = [
        "posted": .posted, "posted-in-part": .postedInPart, "not-posted": .notPosted, "enquire": .enquire,
        "reverse": .reverse, "ambiguous": .ambiguous, "bind": .bind, "reversed": .reversed,
        "nothing-to-reverse": .nothingToReverse, "retry": .retry, "retry-later": .retryLater,
        "retry-after-enquiry": .retryAfterEnquiry, "retry-once": .retryOnce, "fix": .fix, "call": .call,
        "by-scheme": .byScheme, "never": .never, "informative": .informative,
    ]

    /// The longest wait, in seconds: 366 days.
    package static let longestWait: Int64 = 366 * 86_400

    /// Reads `retry-later`, `wait 3600`; nil for anything else.
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

    /// What can be written in a rule.
    package static let names: [String] = plain.keys.sorted() + ["wait <seconds>"]

    /// True where money moved, or may have.
    package var mayHaveMovedMoney: Bool {
        switch self {
        case .posted, .postedInPart, .enquire, .reverse, .ambiguous, .bind, .retryAfterEnquiry, .retryOnce: true
        case .notPosted, .reversed, .nothingToReverse, .retry, .retryLater, .wait, .fix, .call, .byScheme, .never,
            .informative:
            false
        }
    }

    /// How careful it is; a tenant may put a more careful one in its place.
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
