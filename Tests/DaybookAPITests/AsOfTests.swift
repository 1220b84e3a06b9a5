import Access
import Canonical
import EventLog
import Ledger
import Testing

/// What is answered about the past is what was answered then.
@Suite(.timeLimit(.minutes(20))) struct AsOfTests {
    /// Everything that can be asked as of a position, as it is answered at the moment.
    private struct Answers {
        var position: Int64
        var bodies: [String: JSONValue] = [:]
    }

    /// What an answer about the past says otherwise: of which time it speaks, and, of a batch, not which event about it
    /// came last. A proof comes later than what it proves.
    private static let ofTheMoment = ["asOfPosition", "lastPosition", "proof"]

    private static func comparable(_ answer: JSONValue, isPayment: Bool) -> JSONValue {
        guard case .object(var object) = answer else { return answer }
        for name in ofTheMoment where !(isPayment && name == "lastPosition") { object[name] = nil }
        return .object(object)
    }

    private static func ask(_ path: String, _ caller: Caller, at position: Int64, isPast: Bool) async throws -> Answer {
        let separator = path.contains("?") ? "&" : "?"
        return try await caller.get("\(path)\(separator)\(isPast ? "as_of" : "min")_position=\(position)")
    }

    @Test func everyAnswerAboutThePastIsWhatWasAnsweredThen() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.intake, .read])
            var told: [Answers] = []
            var paths: Set<String> = ["/v1/totals?by=brand,tender", "/v1/totals?by=day"]
            for sample in try Sample.all() {
                let answer = try await caller.take(sample.vendor, sample.record)
                var position: Int64 = answer["positions"]?.array?.last?.int64 ?? 0
                if let payment = answer["transaction"]?.string {
                    paths.formUnion([
                        "/v1/transactions/\(payment)", "/v1/transactions/\(payment)/receipt?copy=merchant",
                    ])
                }
                // The settlement of a payment follows by itself; what stands in between is a state as well.
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
                // Only where nothing came in while the answers were given were they all given about one position.
                if try await api.ledger.reader.head() == position { told.append(answers) }
            }
            #expect(told.count > 10)
            for answers in told {
                for path in paths {
                    let past = try await Self.ask(path, caller, at: answers.position, isPast: true)
                    guard let then = answers.bodies[path] else {
                        // Nobody had heard of it.
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
