import Canonical
import Composition
import DaybookTestKit
import EventLog
import Replay
import Testing

/// A case, tried against a ledger in a separate tenant.
struct DocumentTrial {
    let api: TestAPI
    let caller: Caller
    let tenant: String
    let clock: ManualClock
    let vendor: String
    let one: DocumentCase

    func misses() async throws -> [String] {
        if let merchant = one.merchant {
            var body: JSONObject = ["zone": .string(merchant.timeZone), "reason": "opened"]
            body["cutoff"] = merchant.cutoff.map { .string($0) }
            let described = try await caller.send(
                "PUT",
                "/v1/merchants/m1",
                ["Content-Type": "application/json"],
                body: JSONValue.object(body).text
            )
            #expect(described.status < 300, "\(described.body)")
        }
        var answers: [Answer] = []
        for document in one.documents {
            answers.append(try await caller.post(vendor, document))
            // A closing settles what its batch contains at that time.
            if document["kind"]?.string?.lowercased().contains("settle") == true { try await settle() }
        }
        try await settle()
        clock.advance(seconds: 200)
        try await api.ledger.replay.silence.step()
        try await settle()
        var misses: [String] = []
        for expectation in one.expect {
            if let miss = try await miss(expectation, answers) { misses.append(miss) }
        }
        return misses
    }

    /// Waits until settlement and the read models contain every event.
    func settle() async throws {
        _ = try await api.ledger.waitUntilApplied(upTo: Int64(try await api.events().last?.position ?? 0))
    }

    /// What was found instead of what is expected; nil if it holds.
    private func miss(_ expected: DocumentCase.Expectation, _ answers: [Answer]) async throws -> String? {
        let found = try await found(expected, answers)
        // Nothing holds of what is not there, except that it is not.
        let isAbsenceExpected = expected.must == .listed || expected.must == .count
        if let found, Self.holds(expected, found) { return nil }
        if found == nil, isAbsenceExpected, Self.holds(expected, []) { return nil }
        let shown = (found ?? ["missing"]).map { $0.text.prefix(900) }.joined(separator: " | ")
        let wanted = "\(expected.must.rawValue) \(expected.value?.text ?? "")"
        let place = [expected.at.rawValue, expected.of, expected.path].compactMap(\.self).joined(separator: " ")
        return "\(place) \(wanted), found \(shown); \(expected.why ?? "")"
    }

    private static func holds(_ expected: DocumentCase.Expectation, _ found: [JSONValue]) -> Bool {
        let wanted = expected.value ?? .null
        func text(_ value: JSONValue) -> String { value.string ?? value.text }
        switch expected.must {
        case .is where expected.at == .intake: return found.allSatisfy { equal($0, wanted) }
        case .is: return found.contains { equal($0, wanted) } || found.isEmpty && isNothing(wanted)
        case .isNot: return !found.contains { equal($0, wanted) }
        case .isNothing: return found.allSatisfy(isNothing)
        case .isOneOf: return found.contains { value in (wanted.array ?? []).contains { equal(value, $0) } }
        case .isNoneOf: return !found.contains { value in (wanted.array ?? []).contains { equal(value, $0) } }
        case .contains: return found.contains { text($0).lowercased().contains(text(wanted).lowercased()) }
        case .lacks: return !found.contains { text($0).contains(text(wanted)) }
        case .count: return Int64(found.count) == wanted.int64
        case .listed: return found.isEmpty != (wanted.bool ?? true)
        case .raises: return found.contains { value in (wanted.array ?? []).contains { equal(value, $0) } }
        case .raisesNone: return !found.contains { value in (wanted.array ?? []).contains { equal(value, $0) } }
        }
    }

    private static func isNothing(_ value: JSONValue) -> Bool {
        value == .null || value.int64 == 0 || value["value"]?.int64 == 0 || value.array?.isEmpty == true
    }

    /// An amount equals its number of minor units, an empty amount nothing, and a time the same time in another form.
    private static func equal(_ found: JSONValue, _ wanted: JSONValue) -> Bool {
        if isNothing(wanted) { return isNothing(found) }
        if found == wanted { return true }
        if let value = found["value"]?.int64, let number = wanted.int64 { return value == number }
        if let time = found.string.flatMap({ ReportedTime($0) }),
            let other = wanted.string.flatMap({ ReportedTime($0) })
        {
            return time == other
        }
        if let amount = wanted.object, let shown = found.object {
            return amount.members.allSatisfy { member in shown[member.key] == member.value }
        }
        return false
    }
}
