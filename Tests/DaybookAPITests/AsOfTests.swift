import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Testing

/// An answer about a past position is the answer that was given at that position.
struct AsOfTests {
    /// Every answer that supports `as_of`, as given at one position.
    private struct Answers {
        var position: Int64
        var bodies: [String: JSONValue] = [:]
    }

    /// Removes what differs: the position, for a batch its last event, and a proof, which is made later.
    private static let ofTheMoment = ["asOfPosition", "lastPosition", "proof"]

    private static func comparable(_ answer: JSONValue, isPayment: Bool) -> JSONValue {
        guard case .object(var object) = answer else { return answer }
        for name in ofTheMoment where !(isPayment && name == "lastPosition") { object[name] = nil }
        if let items = object["items"]?.array {
            object["items"] = .array(items.map { comparable($0, isPayment: isPayment) })
        }
        return .object(object)
    }

    @Test func pagesOfAPastListHaveOnePosition() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read])
            for sample in try Sample.all() { _ = try await caller.take(sample.vendor, sample.record) }
            let head = try await api.ledger.reader.head()
            for list in ["transactions", "batches"] {
                let now = try await caller.get("/v1/\(list)?limit=1000&min_position=\(head)").json["items"]?.array ?? []
                // A future time includes every event.
                let path = "/v1/\(list)?as_of=2999-01-01T00:00:00Z&limit=1"
                var page = try await caller.get(path).json
                let position = try #require(page["asOfPosition"]?.int64)
                var count = page["items"]?.array?.count ?? 0
                while let next = page["next"]?.string {
                    _ = try await api.ledger.sequencer.append(.sample("\(list)-\(count)", count: 1))
                    page = try await caller.get("\(path)&cursor=\(next)").json
                    #expect(page["asOfPosition"]?.int64 == position)
                    count += page["items"]?.array?.count ?? 0
                }
                #expect(count == now.count && count > 1, "\(list)")
                // A cursor of one position is refused for another.
                let first = try await caller.get("/v1/\(list)?as_of_position=\(position)&limit=1").json
                let next = try #require(first["next"]?.string)
                #expect(try await caller.get("/v1/\(list)?cursor=\(next)").code == "invalid-cursor")
                let plain = try #require(try await caller.get("/v1/\(list)?limit=1").json["next"]?.string)
                #expect(
                    try await caller.get("/v1/\(list)?as_of_position=\(position)&cursor=\(plain)").code
                        == "invalid-cursor"
                )
                for other in [position - 1, position + 1] {
                    #expect(
                        try await caller.get("/v1/\(list)?as_of_position=\(other)&cursor=\(next)").code
                            == "invalid-cursor"
                    )
                }
                #expect(
                    try await caller.get("/v1/\(list)?as_of=2000-01-01T00:00:00Z&cursor=\(next)").code
                        == "invalid-cursor"
                )
                let beyond = try await caller.get("/v1/\(list)?as_of_position=1000000000")
                #expect(beyond.status == 400 && beyond.code == "position-beyond-end")
                #expect(try await caller.get("/v1/\(list)?as_of_position=1-\(position)").code == "other-epoch")
                // A future time means the end of the log at the first page.
                let far = "/v1/\(list)?as_of=2100-01-01T00:00:00Z&limit=1"
                let begun = try await caller.get(far).json
                let rest = try #require(begun["next"]?.string)
                _ = try await api.ledger.sequencer.append(.sample("\(list)-far", count: 1))
                let going = try await caller.get("\(far)&cursor=\(rest)")
                #expect(try going.status == 200 && going.json["asOfPosition"] == begun["asOfPosition"])
                let both = "/v1/\(list)?as_of_position=1&as_of=2026-01-01T00:00:00Z"
                #expect(try await caller.get(both).code == "invalid-parameter")
                let lines = try await caller.get(
                    "/v1/\(list)?as_of_position=\(position)",
                    ["Accept": "application/x-ndjson"]
                ).lines
                #expect(lines.count == now.count)
                #expect(try await caller.get("/v1/\(list)?as_of_position=0").json["items"] == [])
            }
        }
    }

    private static func ask(_ path: String, _ caller: Caller, at position: Int64, isPast: Bool) async throws -> Answer {
        let separator = path.contains("?") ? "&" : "?"
        return try await caller.get("\(path)\(separator)\(isPast ? "as_of" : "min")_position=\(position)")
    }

    @Test func answersAboutThePastEqualThoseGivenThen() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read])
            var reported: [Answers] = []
            var paths: Set<String> = [
                "/v1/totals?by=brand,tender", "/v1/totals?by=day", "/v1/transactions?limit=1000",
                "/v1/transactions?sort=time&status=captured", "/v1/transactions?in_doubt=true",
                "/v1/transactions?text=visa", "/v1/transactions?status=settled&sort=time", "/v1/batches?limit=1000",
                "/v1/batches?open=true", "/v1/batches?status=closed", "/v1/batches?terminal=1234567890",
            ]
            for sample in try Sample.all() {
                let answer = try await caller.take(sample.vendor, sample.record)
                var position: Int64 = answer["positions"]?.array?.last?.int64 ?? 0
                if let payment = answer["transaction"]?.string {
                    paths.formUnion([
                        "/v1/transactions/\(payment)", "/v1/transactions/\(payment)/receipt?copy=merchant",
                    ])
                }
                // The settlement process appends on its own; the state between its appends counts, too.
                position = max(position, try await api.ledger.reader.head())
                _ = try await Self.ask("/v1/transactions", caller, at: position, isPast: false)
                for batch in try await caller.get("/v1/batches?min_position=\(position)").json["items"]?.array ?? [] {
                    let id = try #require(batch["id"]?.string)
                    paths.formUnion(["/v1/batches/\(id)", "/v1/batches/\(id)/members", "/v1/batches/\(id)/totals"])
                }
                var answers = Answers(position: position)
                for path in paths {
                    let found = try await Self.ask(path, caller, at: position, isPast: false)
                    try #require(found.status == 200, "\(path) at \(position)")
                    answers.bodies[path] = Self.comparable(try found.json, isPayment: path.contains("transactions"))
                }
                // Answers count only if no event was appended while they were given.
                if try await api.ledger.reader.head() == position { reported.append(answers) }
            }
            #expect(reported.count > 10)
            for answers in reported {
                for path in paths {
                    let past = try await Self.ask(path, caller, at: answers.position, isPast: true)
                    guard let then = answers.bodies[path] else {
                        // The subject did not exist at that position.
                        let isEmptyList = try past.json["items"] == []
                        #expect(past.status == 404 || isEmptyList, "\(path) at \(answers.position)")
                        continue
                    }
                    let found = Self.comparable(try past.json, isPayment: path.contains("transactions"))
                    #expect(found == then, "\(path) at \(answers.position)")
                }
            }
        }
    }
}
