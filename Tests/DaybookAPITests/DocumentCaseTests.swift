import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Foundation
import Replay
import Testing

/// Twenty cases for each vendor's document, with what a back office must see afterwards. Readers of the documents wrote
/// them; they had seen none of the code.
@Suite struct DocumentCaseTests {
    static let vendors = ["bridgepay", "paydiant", "handpoint", "dejavoo", "youtransactor"]

    @Test(arguments: vendors)
    func theBackOfficeSeesWhatTheDocumentMeans(_ vendor: String) async throws {
        let cases = try DocumentCase.all(of: vendor)
        #expect(cases.count == 20)
        // After the last of the documents' times, and always behind the clock of the database.
        let clock = ManualClock(at: SystemClock().now().adding(microseconds: -86_400_000_000))
        try await TestAPI.serve(clock: clock) { api in
            // Entries that hold again must go.
            var unused = Self.disputed.filter { entry in cases.contains { $0.id == entry.id } }
            for (number, one) in cases.enumerated() {
                let caller = try await api.caller([.admin, .documents, .read], tenant: "case-\(number)")
                let trial = Trial(api: api, caller: caller, clock: clock, vendor: vendor, one: one)
                for miss in try await trial.misses() {
                    let entry = unused.firstIndex { $0.id == one.id && miss.hasPrefix($0.expectation + " ") }
                    if let entry { unused.remove(at: entry) } else { Issue.record("\(one.id): \(miss)") }
                }
            }
            for entry in unused { Issue.record("\(entry.id): \(entry.expectation) holds; \(entry.reason)") }
        }
    }

    /// Expectations that do not hold, each with the reason.
    private static let disputed: [(id: String, expectation: String, reason: String)] = [
        (
            "settlement-closes-only-its-own-terminals-batch", "batch closedAt is",
            "the terminal's local time is in closedLocalTime; closedAt is the sender's clock"
        ),
        (
            "settlement-closes-only-its-own-terminals-batch", "batch settlement is",
            "a part of this id passes for a card number, so it is masked"
        ),
        (
            "reader-paired-then-card-read-never-resumed", "reader firstSeen is",
            "the scan lists two names, and the connection an identifier: nothing says that one of them is it"
        ),
        (
            "online-pin-secrets-and-context-twice", "transaction card.pinEntered is",
            "the PIN block is dropped before the document is read, and no tag 9F34 names the method"
        ),
    ]
}

/// A case, tried against a ledger in a separate tenant.
private struct Trial {
    let api: TestAPI
    let caller: Caller
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
    private func settle() async throws {
        _ = try await api.ledger.waitUntilApplied(upTo: Int64(try await api.events().last?.position ?? 0))
    }

    private func list(_ path: String) async throws -> [JSONValue] {
        try await caller.get(path).json["items"]?.array ?? []
    }

    private func payment(_ of: String?) async throws -> JSONValue? {
        let payments = try await list("/v1/transactions?limit=50")
        guard let of else { return payments.last }
        return payments.first { $0["reference"]?.string == of }
            ?? payments.first { $0["references"]?.text.contains(of) ?? false }
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

    /// The values of the path, one for each item; nil if the payment or reader of the expectation does not exist.
    private func found(_ expected: DocumentCase.Expectation, _ answers: [Answer]) async throws -> [JSONValue]? {
        let items: [JSONValue]
        switch expected.at {
        case .intake:
            guard expected.must != .is else { return answers.map { .number(.init(Int64($0.status))) } }
            items = try answers.map { try $0.json }
        case .transactions: items = try await list("/v1/transactions?limit=50")
        case .transaction where expected.path == "occurredAt":
            // By the merchant's zone if only a local time was printed.
            guard let id = try await payment(expected.of)?["id"]?.string else { return nil }
            return [try await caller.get("/v1/transactions/\(id)/receipt").json["instant"] ?? .null]
        case .transaction:
            guard let payment = try await payment(expected.of) else { return nil }
            items = [payment]
        case .receipt:
            guard let id = try await payment(expected.of)?["id"]?.string else { return nil }
            let path = "/v1/transactions/\(id)/receipt?copy=merchant"
            return [.string(try await caller.get(path, ["Accept": "text/plain"]).body)]
        case .anomalies:
            let id = try await id(of: expected)
            if expected.of != nil, id == nil { return nil }
            return try await list("/v1/anomalies?limit=100")
                .filter { item in id.map { item["stream"]?.string?.contains($0) ?? false } ?? true }
                .compactMap { $0["kind"] }
        case .reader:
            var readers = try await list("/v1/readers?limit=50")
            if let of = expected.of { readers = readers.filter { $0["serial"]?.string == of } }
            var whole: [JSONValue] = []
            for reader in readers.prefix(1) {
                let serial = reader["serial"]?.string ?? ""
                let path = serial.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? serial
                whole.append(try await caller.get("/v1/readers/\(vendor)/\(path)").json)
            }
            guard !whole.isEmpty else { return nil }
            items = whole
        case .batch: items = try await list("/v1/batches?limit=50")
        case .checkout: items = try await list("/v1/checkouts?limit=50")
        case .doubts:
            let doubts = try await list("/v1/doubts?limit=50")
            let id = try await id(of: expected)
            if expected.of != nil, id == nil { return nil }
            items = doubts.filter { item in id.map { item["transaction"]?.string == $0 } ?? true }
        case .totals:
            let merchant = one.merchant == nil ? "" : "&merchant=m1"
            let totals = try await list("/v1/totals?by=day\(merchant)")
            items = expected.of.map { day in totals.filter { $0["day"]?.string == day } } ?? totals
        }
        guard let path = expected.path else { return items }
        let values = items.map { Self.value(of: path, in: $0) }
        return expected.at == .totals && expected.of == nil ? Self.sum(values) : values
    }

    /// One amount of all days.
    private static func sum(_ amounts: [JSONValue]) -> [JSONValue] {
        let values = amounts.compactMap { $0["value"]?.int64 }
        guard let first = amounts.first, !values.isEmpty else { return amounts }
        var total = first.object ?? [:]
        total["value"] = .number(.init(values.reduce(0, +)))
        return [.object(total)]
    }

    /// The id of the payment that the expectation names.
    private func id(of expected: DocumentCase.Expectation) async throws -> String? {
        guard expected.of != nil else { return nil }
        return try await payment(expected.of)?["id"]?.string
    }

    private static func value(of path: String, in item: JSONValue) -> JSONValue {
        path.split(separator: ".").reduce(item) { value, name in
            if name == "length" { return .number(.init(Int64(value.array?.count ?? 0))) }
            if let at = name.firstIndex(of: "["), let list = value[String(name[..<at])]?.array {
                // `errors[kind=422]`
                let parts = name[at...].dropFirst().dropLast().split(separator: "=")
                return list.first { $0[String(parts[0])]?.string == String(parts[1]) } ?? .null
            }
            if let index = Int(name), let array = value.array {
                return array.indices.contains(index) ? array[index] : .null
            }
            return value[String(name)] ?? .null
        }
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
