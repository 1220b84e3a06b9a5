import Canonical
import DaybookTestKit
import Foundation
import Simulator
import Testing
import XML

@testable import GatewayStandIn

/// Each fault as a client sees it, and the state of the books afterwards.
@Suite("Faults on the wire")
struct FaultTests {
    private static let spinSale = Wire.spin("Sale", #""ReferenceId":"r1","Amount":12.5"#)

    private static func isEndedUnanswered(_ client: RawClient) async -> Bool {
        // A reset is a read error, a normal close is not.
        do {
            return try await client.isClosed()
        } catch {
            return true
        }
    }

    @Test("A lost answer: the connection ends, the books show it", arguments: [("lost=100", 1), ("dropped=100", 0)])
    func unanswered(faults: String, payments: Int) async throws {
        try await withStandIn(faults: faults) { standIn in
            for (gateway, request) in [(StandInGateway.bridgepay, Wire.sale()), (.dejavoo, Self.spinSale)] {
                let client = try await standIn.connect(gateway)
                try await client.send(request)
                #expect(await Self.isEndedUnanswered(client))
            }
            #expect(await standIn.payments.count == payments * 2)
        }
    }

    @Test("Some connections end with a reset and some do not")
    func resets() async throws {
        try await withStandIn(faults: "lost=100") { standIn in
            var resets = 0
            for number in 0..<40 {
                let client = try await standIn.connect(.bridgepay)
                try await client.send(Wire.sale("t\(number)", invoice: "I\(number)"))
                do { _ = try await client.readToEnd() } catch { resets += 1 }
            }
            #expect((1..<40).contains(resets))
            #expect(await standIn.payments.count == 40)
        }
    }

    @Test("A duplicate: the same answer twice, executed once, and the connection stays open")
    func duplicate() async throws {
        try await withStandIn(faults: "duplicate=100") { standIn in
            let client = try await standIn.connect(.bridgepay)
            try await client.send(Wire.sale())
            let first = try await client.readResponse()
            let second = try await client.readResponse()
            #expect(first.bytes == second.bytes)
            #expect(try Wire.fields(first)["GatewayMessage"] == "A01 - Approved")
            #expect(await standIn.payments.count == 1)
            try await client.send(Wire.sale("t2", invoice: "B"))
            #expect(try Wire.fields(try await client.readResponse())["TransactionID"] == "t2")
        }
    }

    @Test("Malformed: correctly framed, but not a document")
    func malformed() async throws {
        try await withStandIn(faults: "malformed=100") { standIn in
            for number in 0..<20 {
                let answer = try await standIn.ask(.bridgepay, Wire.sale("t\(number)", invoice: "I\(number)"))
                #expect(answer.status == 200)
                let document = try Wire.document(answer)
                #expect(throws: XMLProblem.self) { try XMLTree(parsing: document) }
                let spin = Wire.spin("Sale", #""ReferenceId":"r\#(number)","Amount":12"#)
                let broken = try await standIn.ask(.dejavoo, spin)
                #expect(broken.status == 200)
                #expect(throws: JSONParseError.self) { try Wire.json(broken) }
            }
            #expect(await standIn.payments.count == 40)
        }
    }

    @Test("Base64 that is invalid")
    func base64() async throws {
        try await withStandIn(faults: "base64=100") { standIn in
            let answer = try await standIn.ask(.bridgepay, Wire.sale())
            #expect(Data(base64Encoded: try Wire.result(answer)) == nil)
            #expect(await standIn.payments.count == 1)
        }
    }

    @Test("A declaration of UTF-16 over UTF-8")
    func utf16() async throws {
        try await withStandIn(faults: "utf-16=100") { standIn in
            let answer = try await standIn.ask(.bridgepay, Wire.sale())
            let document = String(decoding: try Wire.document(answer), as: UTF8.self)
            #expect(document.hasPrefix("<?xml version=\"1.0\" encoding=\"utf-16\"?><Auth>"))
            #expect(try Wire.fields(answer)["GatewayResult"] == "00000")
        }
    }

    @Test(
        "Server errors, before and after the books",
        arguments: [("fail-before=100", 503, 0), ("fail-after=100", 500, 1)]
    )
    func failures(faults: String, status: Int, payments: Int) async throws {
        try await withStandIn(faults: faults) { standIn in
            let answer = try await standIn.ask(.bridgepay, Wire.sale())
            #expect(answer.status == status)
            #expect(!answer.body.contains("Envelope"))
            #expect(await standIn.payments.count == payments)
            // A later check finds the state of the books.
            #expect(
                try Wire.json(try await standIn.ask(.bridgepay, Wire.get("/standin/summary")))["payments"]?.int64
                    == Int64(payments)
            )
        }
    }

    @Test("A slow answer arrives and is complete")
    func slow() async throws {
        try await withTemporaryDirectory { directory in
            let books = directory + "/books.ndjson"
            try await withStandIn(faults: "slow=100", books: books, slowness: .milliseconds(20)) { standIn in
                let answer = try await standIn.ask(.bridgepay, Wire.sale())
                #expect(try Wire.fields(answer)["GatewayMessage"] == "A01 - Approved")
            }
            #expect(try String(contentsOfFile: books, encoding: .utf8).contains(#""fault":"slow""#))
        }
    }

    /// The fault profile of a storm: a client without an answer learns the outcome by queries, and no card is charged
    /// twice.
    @Test("Every payment is found under a mixture of faults")
    func mixture() async throws {
        let faults = "lost=20,duplicate=5,slow=5,fail=5,dropped=5,malformed=5,base64=2,utf-16=3"
        try await withStandIn(faults: faults) { standIn in
            var unknown = 0
            for number in 0..<120 {
                if try await Self.approval(standIn, Wire.sale("t\(number)", invoice: "I\(number)")) == nil {
                    unknown += 1
                }
                // Each query has a new reference, and therefore eventually an answer.
                var answer: [String: String]?
                var asked = 0
                while answer == nil {
                    asked += 1
                    let question = Wire.bridgeComm("023", "f\(number)/\(asked)", ["InvoiceNum": "I\(number)"])
                    answer = try await Self.approval(standIn, question)
                }
                let isBooked = await standIn.keeper.read {
                    !$0.payments(invoice: "I\(number)", at: .bridgepay).isEmpty
                }
                #expect(answer?["GatewayResult"] == (isBooked ? "00000" : "800011"))
            }
            #expect(unknown > 20)
            #expect(await standIn.keeper.read { $0.doubleCharges.isEmpty })
        }
    }

    /// The first answer to a request; nil without a readable one.
    private static func approval(_ standIn: RunningStandIn, _ request: String) async throws -> [String: String]? {
        let client = try await standIn.connect(.bridgepay)
        try await client.send(request)
        guard let answer = try? await client.readResponse(), answer.status == 200,
            let envelope = try? XMLTree(parsing: answer.bytes),
            let text = envelope.at("Body", "ProcessRequestResponse", "ProcessRequestResult"),
            let document = Data(base64Encoded: text.value), let root = try? XMLTree(parsing: Array(document))
        else { return nil }
        return Dictionary((root["responseMessage"]?.children ?? []).map { ($0.name, $0.value) }) { first, _ in first }
    }
}
