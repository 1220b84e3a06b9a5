import Canonical
import DaybookTestKit
import EventLog
import Intake
import Operations
import Payments
import Projections
import Testing

@testable import DaybookAPI

/// Documents whose JSON is built member by member, against the types that read them: each is read and written again
/// without a difference, and every member of the type occurs.
@Suite struct StoredDocumentTests {
    @Test func paymentsAreReadAsTheyAreStored() throws {
        var samples = PaymentSamples(random: .forTest())
        let documents = try (0..<400).map { _ in try JSONValue(parsing: samples.payment().json.bytes) }
        // Anomalies of a payment are shown without the follow-up in doubt.
        let hidden = ["/anomalies[]/inDoubt", "/anomalies[]/inDoubt/subject", "/anomalies[]/inDoubt/refund"]
        try expectSame(TransactionJSON.self, documents, without: Set(hidden))
    }

    @Test func receiptsAreStoredAsTheyAreEncoded() throws {
        var samples = PaymentSamples(random: .forTest())
        for zone in [nil, Zone("Europe/Berlin"), .utc] {
            for _ in 0..<400 {
                let payment = samples.payment()
                var receipt = Receipt(
                    payment.state,
                    transaction: payment.id,
                    firstSeen: payment.occurredAt,
                    position: zone == nil ? nil : payment.lastPosition
                )
                receipt.zone = zone
                #expect(try receipt.json.text == receipt.jsonValue().text)
                let names = try #require(receipt.jsonValue().object?.keys)
                #expect(names.allSatisfy(Receipt.memberNames.contains))
                // The text has every member once.
                let document = ReceiptJSON(receipt, copy: .customer)
                #expect(try document.jsonText() == document.jsonValue().text)
            }
        }
    }

    @Test func answersAreReadAsTheyAreSent() throws {
        let note = RedactionNote(path: "/body/pan", rule: "pan", action: "masked")
        let doubt = ["/anomalies[]/inDoubt", "/anomalies[]/inDoubt/subject", "/anomalies[]/inDoubt/refund"]
        let id = UUID128(high: 1, low: 2)
        let batch = StreamName.batch(BatchReference(vendor: .dejavoo, account: "tpn", number: "7"), of: "acme")
        let answers = [StreamName.transaction(id), batch].map { stream in
            IntakeAnswer(
                stream: stream,
                positions: [7, 8],
                types: ["DocumentReceived", "Captured"],
                redactions: [note],
                anomalies: [Anomaly(.keysDisagree, "two payments", related: [StreamName.transaction(id)])],
                isDuplicate: false
            )
        }
        try expectSame(IntakeAnswerJSON.self, answers.map(\.json), without: Set(doubt))
    }

    @Test func resultsOfLinesAreReadAsTheyAreSent() throws {
        let sender = Sender(tenant: "acme", actor: "key:till", correlation: "r-1")
        var refused = IntakeProblem(.versionConflict, "The stream has version 3.", pointer: "/expectedVersion")
        refused.actualVersion = 3
        refused.tracePosition = 9
        let note = RedactionNote(path: "/body/pan", rule: "pan", action: "masked")
        let answer = EventAnswer(stream: "orders/1", positions: [7], redactions: [note], isDuplicate: true)
        let results: [Result<EventAnswer, IntakeProblem>] = [
            .success(answer), .failure(refused), .failure(IntakeProblem(.outcomeUnknown, "Send it again.")),
        ]
        let lines = try results.enumerated().map { index, result in
            var bytes: [UInt8] = []
            StatusLine(Int64(index + 1), result, sender).append(to: &bytes)
            return try JSONValue(parsing: bytes)
        }
        let elsewhere = [
            "offset", "reason", "parameter", "limitBytes", "available", "fault", "line", "character", "column",
        ]
        try expectSame(
            AppendLineJSON.self,
            lines,
            without: Set(elsewhere.map { "/problem/\($0)" } + ["/problem/available[]"])
        )
    }

    @Test func eventsAreReadAsTheyAreRecorded() throws {
        let claims = Claims(
            events: 2,
            idempotency: [(key: UUID128(high: 3, low: 4), request: [1, 255])],
            references: ["bridgepay:320001:214972201"]
        )
        let lines = try [(UUID128(high: 5, low: 6), claims.text), (nil, nil)].map { causation, claims in
            let event = RecordedEvent(
                position: 7,
                id: UUID128(high: 1, low: 2),
                tenant: "acme",
                stream: "orders/1",
                version: 1,
                type: "OrderPlaced",
                schema: 1,
                occurredAt: Timestamp(microsecondsSince1970: 1),
                recordedAt: Timestamp(microsecondsSince1970: 2),
                actor: "key:till",
                correlation: "r-1",
                causation: causation,
                claims: claims,
                data: #"{"b":1,"a":[null,-0,"\u0001"]}"#
            )
            return try JSONValue(parsing: event.recordLine.utf8)
        }
        try expectSame(EventJSON.self, lines, without: [])
    }

    /// - Parameter hidden: The members that never occur.
    private func expectSame<Document: Codable & Sendable>(
        _ type: Document.Type,
        _ documents: [JSONValue],
        without hidden: Set<String>
    ) throws {
        var seen: Set<String> = []
        for json in documents {
            let document = try JSONValueDecoder().decode(type, from: json)
            let text = try document.jsonValue().text
            #expect(text == json.text)
            seen.formUnion(json.memberPaths(at: ""))
        }
        let missing = try ShapeProbe.shape(of: type).memberPaths(at: "").subtracting(hidden).subtracting(seen)
        #expect(missing == [])
    }
}

extension Shape {
    /// The places of all members.
    fileprivate func memberPaths(at path: String) -> Set<String> {
        switch self {
        case .object(let members):
            members.reduce(into: []) { paths, member in
                let place = "\(path)/\(member.key)"
                paths.insert(place)
                paths.formUnion(member.value.shape.memberPaths(at: place))
            }
        case .list(let element): element.memberPaths(at: "\(path)[]")
        case .dictionary(let element): element.memberPaths(at: "\(path){}")
        case .text, .integer, .boolean, .any: []
        }
    }
}

extension JSONValue {
    fileprivate func memberPaths(at path: String) -> Set<String> {
        switch self {
        case .object(let object):
            object.members.reduce(into: []) { paths, member in
                let place = "\(path)/\(member.key)"
                paths.insert(place)
                paths.formUnion(member.value.memberPaths(at: place))
            }
        case .array(let elements): elements.reduce(into: []) { $0.formUnion($1.memberPaths(at: "\(path)[]")) }
        default: []
        }
    }
}
