import Canonical
import Payments
import Testing

@testable import Simulator

@Suite("Books of gateways")
struct GatewayBooksTests {
    /// A mixture of operations, with faults.
    private static func worked() throws -> (handler: TestHandler, lines: [UInt8]) {
        var handler = TestHandler(faults: try GatewayFaultProfile(parsing: "lost=20,dropped=20"))
        var ids: [String] = []
        for number in 0..<40 {
            _ = handler.pay(600 + Int64(number), number % 3 == 0 ? "sale-auth" : "sale", invoice: "I\(number)")
        }
        ids = handler.books.payments.map(\.id)
        for id in ids.prefix(8) { _ = handler.giveBack("void", of: id) }
        handler.settle()
        for id in ids.suffix(5) { _ = handler.giveBack("refund", of: id, 100) }
        _ = handler.spin("Sale", ["ReferenceId": "r1", "Amount": 12])
        _ = handler.spin("Sale", ["ReferenceId": "r1", "Amount": 12])
        var lines: [UInt8] = []
        for entry in handler.handler.takeAdded() { try entry.append(to: &lines) }
        return (handler, lines)
    }

    @Test("Books read from their lines are equal")
    func restart() throws {
        let (handler, lines) = try Self.worked()
        let read = try GatewayBooks(ndjson: lines)
        #expect(read.payments == handler.books.payments)
        #expect(read.payments.count > 20)
        #expect(try read.summary() == handler.books.summary())
        #expect(read.timesAsked("004 t1", at: .bridgepay) == 1)
        #expect(read.batch(of: "320001", at: .bridgepay) == handler.books.batch(of: "320001", at: .bridgepay))
        #expect(read.nextNumber == handler.books.nextNumber)
    }

    @Test("A truncated line is skipped; a wrong one is reported")
    func broken() throws {
        let (handler, lines) = try Self.worked()
        let cut = try GatewayBooks(ndjson: lines + Array(#"{"entry":"payment","gateway":"bri"#.utf8))
        #expect(cut.payments == handler.books.payments)
        for wrong in [#"{"entry":"payment","gateway":"bridgepay"}"#, #"{"entry":"x"}"#, "no JSON"] {
            #expect(throws: UnreadableBooks(line: 1)) { try GatewayBooks(ndjson: Array((wrong + "\n").utf8)) }
        }
    }

    @Test("Totals are by currency, without reversed amounts")
    func totals() throws {
        var handler = TestHandler()
        _ = handler.pay(2_000, invoice: "A")
        _ = handler.pay(3_000, "sale-auth", invoice: "B")
        _ = handler.pay(1_000, "credit", invoice: "C")
        _ = handler.pay(500, invoice: "D", also: ["IsoCurrencyCode": "EUR"])
        _ = handler.giveBack("void", of: handler.pay(4_000, invoice: "E").id)
        let totals = try handler.books.totals()
        #expect(totals.map(\.currency) == [.eur, .usd])
        #expect(totals[0].net == Money(500, .eur))
        #expect(totals[1].charges == 1)
        #expect(totals[1].charged == Money(2_000, .usd))
        #expect(totals[1].held == Money(3_000, .usd))
        #expect(totals[1].returned == Money(1_000, .usd))
        #expect(totals[1].net == Money(1_000, .usd))
        #expect(try handler.books.totals(at: .ipos).isEmpty)
    }
}

@Suite("Faults of gateways")
struct GatewayFaultTests {
    @Test(
        "A profile is read and printed",
        arguments: [
            ("none", "none"), ("", "none"), ("lost=20,duplicate=5,slow=5,fail=5", "slow=5,lost=20,duplicate=5,fail=5"),
            ("lost=2.5", "lost=2.5"), ("utf-16=0.0001", "utf-16=0.0001"), ("lost=0", "none"),
            ("fail-after=100", "fail-after=100"),
        ]
    )
    func profiles(text: String, printed: String) throws {
        let profile = try GatewayFaultProfile(parsing: text)
        #expect(profile.text == printed)
        #expect(try GatewayFaultProfile(parsing: profile.text) == profile)
    }

    @Test(
        "An invalid profile is refused",
        arguments: [
            "lost", "lost=", "lost=x", "lost=101", "lost=-1", "late=5", "lost=1,lost=2", "lost=60,slow=41", "lost=1.",
            "lost=1,",
        ]
    )
    func malformed(text: String) {
        #expect(throws: InvalidProfile.self) { try GatewayFaultProfile(parsing: text) }
    }

    @Test("The same request has the same fault, its repeat draws again, and the rates hold")
    func drawing() throws {
        let profile = try GatewayFaultProfile(parsing: "lost=20,duplicate=5,slow=5,fail=5")
        func draw(_ number: Int, times: Int = 1, seed: UInt64 = 7) -> PlannedFault? {
            profile.fault(of: "004 t\(number)", times: times, at: .bridgepay, seed: seed)
        }
        let first = (0..<20_000).map { draw($0) }
        #expect(first == (0..<20_000).map { draw($0) })
        #expect(first != (0..<20_000).map { draw($0, seed: 8) })
        #expect(first != (0..<20_000).map { draw($0, times: 2) })
        func share(_ faults: Set<GatewayFault>) -> Int {
            first.count { $0.map { faults.contains($0.fault) } ?? false }
        }
        #expect((3_800...4_200).contains(share([.lost])))
        #expect((850...1_150).contains(share([.duplicate])))
        #expect((850...1_150).contains(share([.failBefore, .failAfter])))
        #expect(share([.failBefore]) > 0 && share([.failAfter]) > 0)
        #expect(share([.fail]) == 0)
    }

    @Test("Only BridgeComm has base64 faults")
    func applicability() throws {
        let profile = try GatewayFaultProfile(parsing: "base64=50,utf-16=50")
        #expect(profile.fault(of: "x", times: 1, at: .bridgepay, seed: 1) != nil)
        #expect(profile.fault(of: "x", times: 1, at: .dejavoo, seed: 1) == nil)
    }

    @Test(
        "Calls dropped or failed before are not in the books, calls lost or failed after are",
        arguments: [
            ("lost", 1), ("fail-after", 1), ("slow", 1), ("duplicate", 1), ("malformed", 1), ("dropped", 0),
            ("fail-before", 0),
        ]
    )
    func processing(fault: String, payments: Int) throws {
        var handler = TestHandler(faults: try GatewayFaultProfile(parsing: "\(fault)=100"))
        _ = handler.pay(600)
        #expect(handler.books.payments.count == payments)
        #expect(handler.books.timesAsked("004 t1", at: .bridgepay) == 1)
    }
}
