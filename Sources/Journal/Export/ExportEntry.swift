package import Canonical
package import Payments

/// What a file has as one transaction: the legs of one position and business day.
package struct ExportEntry: Sendable {
    package let position: Int64
    /// `2026-03-01`.
    package let day: String
    package let event: UUID128
    package private(set) var legs: [PostedLeg]

    package init(_ first: PostedLeg) {
        (position, day, event, legs) = (first.position, first.day, first.event, [first])
    }

    /// Whether a leg is a part of this entry.
    package func includes(_ leg: PostedLeg) -> Bool { leg.position == position && leg.day == day }

    package mutating func add(_ leg: PostedLeg) { legs.append(leg) }

    /// - Throws: `ExportFault` if the legs do not add up to zero in each currency.
    package func checkBalance() throws(ExportFault) {
        for (currency, legs) in byCurrency where legs.reduce(Int128(0), { $0 + Int128($1.amount.value) }) != 0 {
            throw .unbalanced(position: position, day: day, currency: currency)
        }
    }

    /// The legs in each currency, in the order of the entry.
    var byCurrency: [(currency: Currency, legs: [PostedLeg])] {
        var groups: [(currency: Currency, legs: [PostedLeg])] = []
        for leg in legs {
            if let index = groups.firstIndex(where: { $0.currency == leg.amount.currency }) {
                groups[index].legs.append(leg)
            } else {
                groups.append((leg.amount.currency, [leg]))
            }
        }
        return groups
    }

    // MARK: Where it comes from

    var title: String { "Journal entry \(position)" }

    /// What all legs are about.
    var references: [Reference] {
        let common = legs[0].references.filter { one in legs.allSatisfy { $0.references.contains(where: one.isSame) } }
        return [Reference("event", event.text)] + common
    }

    /// What a leg is about, in one cell.
    ///
    /// - Parameter common: What all legs are about.
    func description(of leg: PostedLeg, _ common: [Reference]) -> String {
        let about = common + leg.references(besides: common)
        return ([title] + about.map { "\($0.name) \($0.value.escaped(";"))" }).joined(separator: "; ")
    }
}

/// The reason why there is no file.
package enum ExportFault: Error, Hashable {
    /// The legs of a position and day do not add up to zero.
    case unbalanced(position: Int64, day: String, currency: Currency)
    /// The entries do not give the recorded bytes again.
    case changed
}

/// What an auditor finds an entry by.
struct Reference {
    let name: String
    let value: String

    init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    func isSame(_ other: Reference) -> Bool { name == other.name && value.hasSameUTF8(as: other.value) }
}

extension PostedLeg {
    fileprivate var references: [Reference] {
        let all = [
            ("adjusts", adjusts), ("transaction", transaction?.text), ("merchant", merchant), ("terminal", terminal),
            ("line", line), ("statement-line", statementLine?.text),
        ]
        return all.compactMap { name, value in value.map { Reference(name, $0) } }
    }

    /// What the leg is about, if not all legs of its entry are.
    func references(besides common: [Reference]) -> [Reference] {
        references.filter { one in !common.contains(where: one.isSame) }
    }
}
