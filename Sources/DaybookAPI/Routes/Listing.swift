package import Canonical
import EventLog
package import HTTPEdge
import Ledger
package import Payments
package import Projections

/// Where a list goes on. Opaque to clients: a position, and a name where positions are not unique.
package struct Cursor: Sendable, Hashable {
    package var position: Int64
    package var name: String?
    /// Which past a list of the past is of: a time asked for may stand for another position when the next page is.
    package var asOf: Int64?

    package init(position: Int64, name: String? = nil, asOf: Int64? = nil) {
        self.position = position
        self.name = name
        self.asOf = asOf
    }

    /// - Throws: `invalid-cursor`.
    package init?(_ query: inout QueryReader) throws(Problem) {
        guard let text = try query.cursor() else { return nil }
        try self.init(text)
    }

    /// - Throws: `invalid-cursor`.
    package init(_ text: String) throws(Problem) {
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

    package static let invalid = Problem(
        status: 400,
        code: "invalid-cursor",
        title: "The cursor is not one of this list's"
    )

    // MARK: Payments

    package init(_ place: TransactionPlace, in order: TransactionOrder, asOf: Int64? = nil) {
        let time = order == .time ? String(place.time.microsecondsSince1970) : nil
        self.init(position: place.position, name: time, asOf: asOf)
    }

    /// - Throws: `invalid-cursor`, also for a cursor of the same list in another order.
    package func place(in order: TransactionOrder) throws(Problem) -> TransactionPlace {
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
    package func doubt(in order: DoubtQuery.Order) throws(Problem) -> DoubtQuery.Place {
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

    package func line() throws(Problem) -> (transaction: UUID128, line: String) {
        let parts = (name ?? "").split(separator: "~", maxSplits: 1)
        guard parts.count == 2, let id = UUID128(String(parts[0])) else { throw Self.invalid }
        return (id, String(parts[1]))
    }

    // MARK: Readers

    /// One document can tell of two readers at one position, so the cursor names the reader, too.
    package init(_ view: ReaderView) {
        let named = StreamName.named(view.reader)
        self.init(position: view.firstPosition, name: "\(named.vendor.rawValue)~\(named.serial)")
    }

    func control() throws(Problem) -> ControlPlace {
        guard let place = name.flatMap({ Int64($0) }) else { throw Self.invalid }
        return ControlPlace(position: position, place: place)
    }

    // MARK: Reconciliation

    init(_ view: MatchView, asOf: Int64?) {
        self.init(position: view.position, name: "\(view.line)~\(view.transaction)~\(view.movement)", asOf: asOf)
    }

    func match() throws(Problem) -> ReconciliationQuery.MatchPlace {
        let parts = (name ?? "").split(separator: "~", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let line = UUID128(String(parts[0])), let transaction = UUID128(String(parts[1])) else {
            throw Self.invalid
        }
        return .init(position: position, line: line, transaction: transaction, movement: String(parts[2]))
    }

    /// A place that is told apart by an id, too.
    func exception() throws(Problem) -> (first: Int64, id: UUID128) {
        guard let id = name.flatMap({ UUID128($0) }) else { throw Self.invalid }
        return (position, id)
    }

    func checkout() throws(Problem) -> String {
        guard let name else { throw Self.invalid }
        return name
    }

    package func reader() throws(Problem) -> (position: Int64, reader: ReaderReference) {
        let parts = (name ?? "").split(separator: "~", maxSplits: 1)
        guard parts.count == 2, let vendor = Vendor(rawValue: String(parts[0])) else { throw Self.invalid }
        return (position, ReaderReference(vendor: vendor, serial: String(parts[1])))
    }
}

/// One page of a list whose items are JSON texts.
///
/// - Parameter head: What the page says of the whole list.
func page(_ items: [String], next: Cursor?, after head: JSONObject = [:]) -> EdgeResponse {
    var bytes = Array("{".utf8)
    for member in head {
        JSONValue.appendQuoted(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(contentsOf: member.value.text.utf8)
        bytes.append(UInt8(ascii: ","))
    }
    bytes.append(contentsOf: "\"items\":[".utf8)
    bytes.reserveCapacity(items.reduce(64) { $0 + $1.utf8.count + 1 })
    for (index, item) in items.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(contentsOf: item.utf8)
    }
    bytes.append(UInt8(ascii: "]"))
    if let next {
        bytes.append(contentsOf: ",\"next\":".utf8)
        JSONValue.appendQuoted(next.text, to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
    return .bytes(bytes, type: "application/json")
}

/// What a page of a list of the past says of the whole list.
func pastHead(_ position: Int64?) -> JSONObject {
    var head: JSONObject = [:]
    if let position { head["asOfPosition"] = .number(.init(position)) }
    return head
}

extension API {
    /// When a read that begins now has waited long enough for read models, however many there are.
    var deadline: ContinuousClock.Instant { .now.advanced(by: ledger.waitLimit) }

    /// Waits until the read models contain the position that `min_position` requests and, for an answer about one thing,
    /// every write that this server acknowledged before the request: a client reads its own writes without asking for it.
    ///
    /// - Parameter isAboutOne: True where an id selects the answer. A list of many things is answered as of what its read
    ///   model contains, so that it stays readable while the model is behind.
    /// - Throws: `projection-behind`.
    func waitForWrites(
        _ query: inout QueryReader,
        in readModels: String...,
        isAboutOne: Bool = true,
        until deadline: ContinuousClock.Instant? = nil
    ) async throws {
        try await waitForWrites(&query, in: readModels, isAboutOne: isAboutOne, until: deadline)
    }

    func waitForWrites(
        _ query: inout QueryReader,
        in readModels: [String],
        isAboutOne: Bool = true,
        until deadline: ContinuousClock.Instant? = nil
    ) async throws {
        let acknowledged = isAboutOne ? ledger.appended.position : 0
        let minimum = try query.integer("min_position", in: 0...Int64.max) ?? 0
        let deadline = deadline ?? self.deadline
        for readModel in readModels {
            if minimum > acknowledged { try await wait(for: minimum, in: readModel, until: deadline) }
            let rest = max(.zero, ContinuousClock.now.duration(to: deadline))
            guard try await ledger.readModels.wait(for: readModel, toReachKnown: acknowledged, timeout: rest) else {
                throw Problem.projectionBehind()
            }
        }
    }

    /// The position a moment stands for, once the read model contains it; nil without a moment.
    ///
    /// - Throws: `projection-behind`.
    func position(
        of moment: Moment?,
        in readModel: String,
        until deadline: ContinuousClock.Instant? = nil
    ) async throws -> Int64? {
        guard let moment else { return nil }
        let position = try await ledger.position(of: moment)
        try await wait(for: position, in: readModel, until: deadline)
        return position
    }

    /// The position a list is as of: the one of its cursor, so that all pages are of the same past; else the one that is
    /// asked for. Nil for a list of now. The read model then contains it, and `min_position`.
    ///
    /// - Throws: `invalid-cursor` for one of a list of another time; `projection-behind`.
    func pastPosition(_ request: Request, in readModel: String) async throws -> Int64? {
        var query = request.query
        guard let moment = try Moment(&query) else { return nil }
        let position =
            if let cursor = try Cursor(&query) {
                try await ledger.position(of: moment, goingOnAt: cursor)
            } else {
                try await ledger.position(of: moment)
            }
        // Waited for at once, so that nobody waits twice.
        let minimum = try query.integer("min_position", in: 0...Int64.max) ?? 0
        try await wait(for: max(position, minimum), in: readModel)
        return position
    }

    func wait(
        for position: Int64,
        in readModel: String,
        until deadline: ContinuousClock.Instant? = nil
    ) async throws {
        let rest = max(.zero, ContinuousClock.now.duration(to: deadline ?? self.deadline))
        guard try await ledger.readModels.wait(for: readModel, toReach: position, timeout: rest) else {
            throw Problem.projectionBehind()
        }
    }
}

extension Ledger {
    /// The position of the past in which a list goes on: the one of its cursor, which must be one of the moment that is
    /// asked for. What was still to come stood for the end of the log when the list began.
    ///
    /// - Throws: `Problem` with `invalid-cursor` for one of another past; what reading the log throws.
    package func position(of moment: Moment, goingOnAt cursor: Cursor) async throws -> Int64 {
        guard let position = cursor.asOf else { throw Cursor.invalid }
        let end = try await self.position(of: moment)
        let mayHaveGrown =
            switch moment {
            case .position(let asked): asked > end
            case .time: true
            }
        guard position == end || mayHaveGrown && position < end else { throw Cursor.invalid }
        return position
    }
}
