package import Canonical
package import ReplayRules
import Synchronization

/// The rules of the day.
package final class RuleBooks: Sendable {
    private let book = Mutex<RuleBook?>(nil)
    private let overrides: [String]

    /// - Parameter overrides: `rule=value`, in the place of written rules.
    package init(overriding overrides: [String] = []) {
        self.overrides = overrides
    }

    /// - Throws: `RuleBookError`.
    package func book(at time: Timestamp) throws -> RuleBook {
        try book.withLock { known in
            if let known, known.day == time.civilDate { return known }
            let new = try RuleBook(asOf: time, overriding: overrides)
            known = new
            return new
        }
    }
}
