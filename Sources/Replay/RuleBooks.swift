package import Canonical
package import ReplayRules
import Synchronization

/// The rule book of the day.
package final class RuleBooks: Sendable {
    private let book = Mutex<RuleBook?>(nil)
    private let records: [RuleRecord]?
    private let overrides: [String]
    private let queriesOnlyStandIns: Bool

    /// - Parameters:
    ///   - records: The rules of all days; nil for those of this build.
    ///   - overrides: Overrides of written rules, as `rule=value`.
    ///   - queriesOnlyStandIns: True when no real gateway is called: then the rules against charging twice may be
    ///     shortened.
    package init(
        _ records: [RuleRecord]? = nil,
        overriding overrides: [String] = [],
        queriesOnlyStandIns: Bool = false
    ) {
        self.records = records
        self.overrides = overrides
        self.queriesOnlyStandIns = queriesOnlyStandIns
    }

    /// - Throws: `RuleBookError`.
    package func book(at time: Timestamp) throws -> RuleBook {
        try book.withLock { known in
            if let known, known.day == time.civilDate { return known }
            let new = try RuleBook(
                records ?? WrittenRules.all.get(),
                on: time.civilDate,
                overriding: overrides,
                queriesOnlyStandIns: queriesOnlyStandIns
            )
            known = new
            return new
        }
    }
}
