import Canonical
import Payments
import Testing

@testable import Simulator

@Suite("Books of gateways")
struct GatewayBooksTests {
    /// A bit of everything, with faults.
    private static func worked() throws -> (desk: TestDesk, lines: [UInt8]) {
        var desk = TestDesk(faults: try GatewayFaultProfile(parsing: "lost=20,dropped=20"))
        var ids: [String] = []
        for number in 0..<40 {
            _ = desk.pay(600 + Int64(number), number % 3 == 0 ? "sale-auth" : "sale", invoice: "I\(number)")
        }
        ids = desk.books.payments.map(\.id)
        for id in ids.prefix(8) { _ = desk.giveBack("void", of: id) }
        desk.settle()
        for id in ids.suffix(5) { _ = desk.giveBack("refund", of: id, 100) }
        _ = desk.spin("Sale", ["ReferenceId": "r1", "Amount": 12])
        _ = desk.spin("Sale", ["ReferenceId": "r1", "Amount": 12])
        var lines: [UInt8] = []
        for entry in desk.desk.takeAdded() { try entry.append(to: &lines) }
        return (desk, lines)
    }

    @Test("Books read from their lines are the same books")
    func restart() throws {
        let (desk, lines) = try Self.worked()
        let read = try GatewayBooks(ndjson: lines)
        #expect(read.payments == desk.books.payments)
        #expect(read.payments.count > 20)
        #expect(try read.summary() == desk.books.summary())
        #expect(read.timesAsked("004 t1", at: .bridgepay) == 1)
        #expect(read.batch(of: "320001", at: .bridgepay) == desk.books.batch(of: "320001", at: .bridgepay))
        #expect(read.nextNumber == desk.books.nextNumber)
    }

    @Test("A line that was cut off is passed over; one that is wrong is named")
    func broken() throws {
        let (desk, lines) = try Self.worked()
        let cut = try GatewayBooks(ndjson: lines + Array(#"{"entry":"payment","gateway":"bri"#.utf8))
        #expect(cut.payments == desk.books.payments)
        for wrong in [#"{"entry":"payment","gateway":"bridgepay"}"#, #"{"entry":"x"}"#, "no JSON"] {
            #expect(throws: UnreadableBooks(line: 1)) { try GatewayBooks(ndjson: Array((wrong + "\n").utf8)) }
        }
    }

    @Test("Totals are by currency, without what was taken back")
    func totals() throws {
        var desk = TestDesk()
        _ = desk.pay(2_000, invoice: "A")
        _ = desk.pay(3_000, "sale-auth", invoice: "B")
        _ = desk.pay(1_000, "credit", invoice: "C")
        _ = desk.pay(500, invoice: "D", also: ["IsoCurrencyCode": "EUR"])
        _ = desk.giveBack("void", of: desk.pay(4_000, invoice: "E").id)
        let totals = try desk.books.totals()
        #expect(totals.map(\.currency) == [.eur, .usd])
        #expect(totals[0].net == Money(500, .eur))
        #expect(totals[1].charges == 1)
        #expect(totals[1].charged == Money(2_000, .usd))
        #expect(totals[1].held == Money(3_000, .usd))
        #expect(totals[1].returned == Money(1_000, .usd))
        #expect(totals[1].net == Money(1_000, .usd))
        #expect(try desk.books.totals(at: .ipos).isEmpty)
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
        "What is no profile is refused",
        arguments: [
            "lost", "lost=", "lost=x", "lost=101", "lost=-1", "late=5", "lost=1,lost=2", "lost=60,slow=41", "lost=1.",
            "lost=1,",
        ]
    )
    func malformed(text: String) {
        #expect(throws: InvalidProfile.self) { try GatewayFaultProfile(parsing: text) }
    }

    @Test("The same request has the same fault, its repeat draws anew, and the rates are kept")
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

    @Test("Only BridgeComm has base64 to break")
    func applicability() throws {
        let profile = try GatewayFaultProfile(parsing: "base64=50,utf-16=50")
        #expect(profile.fault(of: "x", times: 1, at: .bridgepay, seed: 1) != nil)
        #expect(profile.fault(of: "x", times: 1, at: .dejavoo, seed: 1) == nil)
    }

    @Test(
        "What is dropped or failed before is not in the books, what is lost or failed after is",
        arguments: [
            ("lost", 1), ("fail-after", 1), ("slow", 1), ("duplicate", 1), ("malformed", 1), ("dropped", 0),
            ("fail-before", 0),
        ]
    )
    func processing(fault: String, payments: Int) throws {
        var desk = TestDesk(faults: try GatewayFaultProfile(parsing: "\(fault)=100"))
        _ = desk.pay(600)
        #expect(desk.books.payments.count == payments)
        #expect(desk.books.timesAsked("004 t1", at: .bridgepay) == 1)
    }
}
