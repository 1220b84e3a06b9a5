import Canonical
import EventLog
import HTTPEdge
import Ledger
import Operations
import Payments
import Projections

/// One page of a list whose items are JSON texts.
///
/// - Parameter head: Members about the whole list.
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

/// The members about a whole list of the past.
func pastHead(_ position: Int64?) -> JSONObject {
    var head: JSONObject = [:]
    if let position { head["asOfPosition"] = .number(.init(position)) }
    return head
}

extension API {
    /// The end of the wait of a read that begins now, for all its read models together.
    var deadline: ContinuousClock.Instant { .now.advanced(by: ledger.waitLimit) }

    /// Waits until the read models contain the position that `min_position` requests and, for an answer about one
    /// thing, every write that this server acknowledged before the request: a client reads its own writes.
    ///
    /// - Parameter isAboutOne: True if an id selects the answer. A list of many things shows what its read model
    ///   contains, so that it stays readable while the model is behind.
    /// - Throws: `projection-behind`.
    func waitForWrites(
        _ query: inout ParameterReader,
        in readModels: String...,
        isAboutOne: Bool = true,
        until deadline: ContinuousClock.Instant? = nil
    ) async throws {
        try await waitForWrites(&query, in: readModels, isAboutOne: isAboutOne, until: deadline)
    }

    func waitForWrites(
        _ query: inout ParameterReader,
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
                throw Refusal.projectionBehind()
            }
        }
    }

    /// The position of a moment, once the read model contains it; nil without a moment.
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

    /// The position of a list of the past: that of its cursor, so that all pages show the same state, else the
    /// requested one. Nil for a list of the present. Returns when the read model contains it and `min_position`.
    ///
    /// - Throws: `invalid-cursor` for a cursor of another moment; `projection-behind`.
    func pastPosition(_ request: Request, in readModel: String) async throws -> Int64? {
        var query = request.query
        guard let moment = try Moment(&query) else { return nil }
        let position =
            if let cursor = try Cursor(&query) {
                try await ledger.position(of: moment, goingOnAt: cursor)
            } else {
                try await ledger.position(of: moment)
            }
        // One wait for both positions.
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
            throw Refusal.projectionBehind()
        }
    }
}
