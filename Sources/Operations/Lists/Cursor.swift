package import Canonical
import EventLog
import Ledger
package import Payments
package import Projections
package import Reconciliation

/// The place from which a list continues. Opaque to clients: a position, and a name if positions are not unique.
package struct Cursor: Sendable, Hashable {
    package var position: Int64
    package var name: String?
    /// The position of a list of the past. A requested time may mean another position when the next page is read.
    package var asOf: Int64?

    package init(position: Int64, name: String? = nil, asOf: Int64? = nil) {
        self.position = position
        self.name = name
        self.asOf = asOf
    }

    /// - Throws: `invalid-cursor`.
    package init?(_ query: inout ParameterReader) throws(Refusal) {
        guard let text = try query.cursor() else { return nil }
        try self.init(text)
    }

    /// - Throws: `invalid-cursor`.
    package init(_ text: String) throws(Refusal) {
        let parts = text.split(separator: "~", maxSplits: 1, omittingEmptySubsequences: false)
        let positions = (parts.first ?? "").split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = positions.first, first.hasPrefix("c"), let position = Int64(first.dropFirst(), radix: 36),
            (0..<Int64.max).contains(position)
        else { throw Self.invalid }
        self.position = position
        if positions.count == 2 {
            guard let asOf = Int64(positions[1], radix: 36), asOf >= 0 else { throw Self.invalid }
            self.asOf = asOf
        }
        name = parts.count == 2 ? String(parts[1]) : nil
    }

    package var text: String {
        let past = asOf.map { "." + String($0, radix: 36) } ?? ""
        return "c" + String(position, radix: 36) + past + (name.map { "~\($0)" } ?? "")
    }

    package static let invalid = Refusal(
        kind: .invalid,
        code: "invalid-cursor",
        title: "The cursor does not belong to this list"
    )

    // MARK: Payments

    package init(_ place: TransactionPlace, in order: TransactionOrder, asOf: Int64? = nil) {
        let time = order == .time ? String(place.time.microsecondsSince1970) : nil
        self.init(position: place.position, name: time, asOf: asOf)
    }

    /// - Throws: `invalid-cursor`, also for a cursor of the same list in another order.
    package func place(in order: TransactionOrder) throws(Refusal) -> TransactionPlace {
        switch (order, name) {
        case (.position, nil):
            return TransactionPlace(position: position, time: Timestamp(microsecondsSince1970: 0))
        case (.time, let name?):
            guard let time = Int64(name).flatMap({ Timestamp(exactMicrosecondsSince1970: $0) }) else {
                throw Self.invalid
            }
            return TransactionPlace(position: position, time: time)
        default: throw Self.invalid
        }
    }

    // MARK: Doubts

    package init(_ place: DoubtQuery.Place, in order: DoubtQuery.Order) {
        self.init(position: place.position, name: "\(order.rawValue)~\(place.key)")
    }

    /// - Throws: `invalid-cursor`, also for a cursor of the same list in another order.
    package func doubt(in order: DoubtQuery.Order) throws(Refusal) -> DoubtQuery.Place {
        let parts = (name ?? "").split(separator: "~", maxSplits: 1)
        guard parts.count == 2, parts[0] == order.rawValue, let key = Int64(parts[1]), key > .min,
            order == .value || Timestamp(exactMicrosecondsSince1970: key) != nil
        else { throw Self.invalid }
        return DoubtQuery.Place(position: position, key: key)
    }

    // MARK: Lines of a batch

    package init(line: (transaction: UUID128, line: String)) {
        self.init(position: 0, name: "\(line.transaction)~\(line.line)")
    }

    package func line() throws(Refusal) -> (transaction: UUID128, line: String) {
        let parts = (name ?? "").split(separator: "~", maxSplits: 1)
        guard parts.count == 2, let id = UUID128(String(parts[0])) else { throw Self.invalid }
        return (id, String(parts[1]))
    }

    // MARK: Readers

    /// One document can report two readers at one position, so the cursor names the reader, too.
    package init(_ view: ReaderView) {
        let named = StreamName.named(view.reader)
        self.init(position: view.firstPosition, name: "\(named.vendor.rawValue)~\(named.serial)")
    }

    package func control() throws(Refusal) -> ControlPlace {
        guard let place = name.flatMap({ Int64($0) }) else { throw Self.invalid }
        return ControlPlace(position: position, place: place)
    }

    // MARK: Reconciliation

    package init(_ view: MatchView, asOf: Int64?) {
        self.init(position: view.position, name: "\(view.line)~\(view.transaction)~\(view.movement)", asOf: asOf)
    }

    package func match() throws(Refusal) -> ReconciliationQuery.MatchPlace {
        let parts = (name ?? "").split(separator: "~", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let line = UUID128(String(parts[0])), let transaction = UUID128(String(parts[1])) else {
            throw Self.invalid
        }
        return .init(position: position, line: line, transaction: transaction, movement: String(parts[2]))
    }

    /// A place that includes an id.
    package func exception() throws(Refusal) -> (first: Int64, id: UUID128) {
        guard let id = name.flatMap({ UUID128($0) }) else { throw Self.invalid }
        return (position, id)
    }

    package func checkout() throws(Refusal) -> String {
        guard let name else { throw Self.invalid }
        return name
    }

    package func reader() throws(Refusal) -> (position: Int64, reader: ReaderReference) {
        let parts = (name ?? "").split(separator: "~", maxSplits: 1)
        guard parts.count == 2, let vendor = Vendor(rawValue: String(parts[0])) else { throw Self.invalid }
        return (position, ReaderReference(vendor: vendor, serial: String(parts[1])))
    }
}
