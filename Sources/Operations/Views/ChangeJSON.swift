package import Canonical
package import Projections

/// A line of money that differs between two positions.
package struct ChangeJSON: Codable, Sendable, Hashable {
    package enum Change: String, Codable, Sendable, CaseIterable {
        case added, removed, changed
    }

    package var transaction: UUID128
    package var line: String
    package var change: Change
    package var before: BatchMemberJSON?
    package var after: BatchMemberJSON?

    package init(_ change: BatchChange) {
        transaction = change.transaction
        line = change.line
        self.change = change.before == nil ? .added : change.after == nil ? .removed : .changed
        before = change.before.map(BatchMemberJSON.init)
        after = change.after.map(BatchMemberJSON.init)
    }
}

/// A page of changes, with the compared positions and the day, if the changes are of a single one.
package struct ChangePageJSON: Codable, Sendable, Hashable {
    package var fromPosition: Int64
    package var toPosition: Int64
    package var items: [ChangeJSON]
    package var day: String?
    package var zone: String?
    package var cutoff: String?
    package var next: String?
}
