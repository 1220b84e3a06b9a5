import Canonical
import EventLog
import Foundation
import Testing

// Reading the answers that an expectation is about.
extension DocumentTrial {
    func list(_ path: String) async throws -> [JSONValue] {
        try await caller.get(path).json["items"]?.array ?? []
    }

    func payment(_ of: String?) async throws -> JSONValue? {
        let payments = try await list("/v1/transactions?limit=50")
        guard let of else { return payments.last }
        return payments.first { $0["reference"]?.string == of }
            ?? payments.first { $0["references"]?.text.contains(of) ?? false }
    }

    /// The values of the path, one for each item; nil if the payment or reader of the expectation does not exist.
    func found(_ expected: DocumentCase.Expectation, _ answers: [Answer]) async throws -> [JSONValue]? {
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
                .map { Self.value(of: expected.path ?? "kind", in: $0) }
        case .reader:
            var readers = try await list("/v1/readers?limit=50")
            if let of = expected.of { readers = readers.filter { $0["serial"]?.string == of } }
            var whole: [JSONValue] = []
            for reader in readers.prefix(1) {
                let serial = reader["serial"]?.string ?? ""
                whole.append(try await caller.get("/v1/readers/\(vendor)/\(Self.encoded(serial))").json)
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
        case .receiptData:
            guard let id = try await payment(expected.of)?["id"]?.string else { return nil }
            items = [try await caller.get("/v1/transactions/\(id)/receipt?copy=merchant").json]
        case .tenders:
            items = try await list("/v1/totals?by=tender").filter { $0["tender"]?.string == expected.of }
        case .timeline:
            guard let id = try await payment(expected.of)?["id"]?.string else { return nil }
            return Self.values(of: expected.path, in: try await list("/v1/transactions/\(id)/events?limit=1000"))
        case .log: return Self.values(of: expected.path, in: try await log())
        case .replay:
            guard let id = try await payment(expected.of)?["id"]?.string else { return nil }
            return try await replay(id, expected.path ?? "disposition")
        case .search: items = try await list("/v1/search?q=\(Self.encoded(expected.of ?? ""))")
        case .kept: items = [.string(try await kept())]
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

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }

    // MARK: Events

    /// Every event of the tenant.
    private func log() async throws -> [JSONValue] {
        try await api.events().filter { $0.tenant == tenant }.map { try JSONValue(parsing: $0.recordLine) }
    }

    /// The values of a path that begins with the events' type, one for each event of that type.
    private static func values(of path: String?, in events: [JSONValue]) -> [JSONValue] {
        guard let path else { return events }
        let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
        let chosen = events.filter { parts[0] == "*" || $0["type"]?.string == parts[0] }
        return parts.count == 1 ? chosen : chosen.map { value(of: parts[1], in: $0) }
    }

    /// The events, and the answers and receipts that show them.
    private func kept() async throws -> String {
        var texts = try await log().map(\.text)
        for name in ["transactions", "anomalies", "readers", "checkouts", "batches", "doubts"] {
            texts.append(try await caller.get("/v1/\(name)?limit=100").body)
        }
        for payment in try await list("/v1/transactions?limit=100") {
            let path = "/v1/transactions/\(payment["id"]?.string ?? "")/receipt?copy=merchant"
            texts.append(try await caller.get(path).body)
            texts.append(try await caller.get(path, ["Accept": "text/plain"]).body)
        }
        return texts.joined(separator: "\n")
    }

    // MARK: Replays

    /// The values of a path in the items of a new plan for a payment; none if there is nothing to plan.
    private func replay(_ payment: String, _ path: String) async throws -> [JSONValue] {
        let parts = path.split(separator: ".").map(String.init)
        var body: JSONObject = ["transactions": .array([.string(payment)]), "reason": "a trial"]
        if parts.count == 2 { body["operation"] = .string(parts[0]) }
        let planned = try await caller.send(
            "POST",
            "/v1/replays",
            ["Content-Type": "application/json"],
            body: JSONValue.object(body).text
        )
        guard planned.status == 201, let plan = try planned.json["id"]?.string else { return [] }
        try await settle()
        let items = try await list("/v1/replays/\(plan)/items?limit=100")
        return items.map { Self.value(of: parts[parts.count - 1], in: $0) }
    }

    // MARK: Paths

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
}
