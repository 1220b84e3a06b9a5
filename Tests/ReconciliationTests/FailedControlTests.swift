import Canonical
import Composition
import DaybookTestKit
import Matching
import Projections
import Reconciliation
import Redaction
import Statements
import Testing

/// Files of which a total does not agree with the lines.
struct FailedControlTests {
    /// - Parameter net: The net that the file states in whole units; each of its lines has 97.00.
    private static func file(net: String, merchants: [String] = ["M1"]) -> [UInt8] {
        let sales = merchants.enumerated().map { place, merchant in
            "sale,USD,100.00,-3.00,97.00,2026-03-03,\(merchant),GW-\(place),\n"
        }.joined()
        let total = "total,USD,\(merchants.count)00.00,,\(net),,,,\(merchants.count)\n"
        return Array("type,currency,gross,fee,net,day,merchant,processor_id,count\n\(sales)\(total)".utf8)
    }

    private static func add(_ file: [UInt8], to planted: PlantedLedger) async throws -> UUID128 {
        try await planted.ledger.reconciliation.importer.import(
            StatementBytes(file),
            StatementImporter.Request(format: .daybookCSV),
            sender: PlantedLedger.sender
        ).id
    }

    private static func found(in planted: PlantedLedger) async throws -> [ExceptionView] {
        var filter = ExceptionFilter()
        filter.exceptionClass = .controlFailed
        filter.isOpen = true
        return try await planted.ledger.reconciliation.exceptions.exceptions(of: "acme", matching: filter, limit: 10)
    }

    /// The file and the controls that an exception is about, as `total-net 9800 9700`.
    private static func evidence(_ exception: ExceptionView) throws -> (statement: String?, controls: [String]) {
        let reported = try JSONValue(parsing: exception.reported.utf8)
        let controls = (reported["controls"]?.array ?? []).map { control in
            "\(control["name"]?.string ?? "") \(control["stated"]?.text ?? "") \(control["computed"]?.text ?? "")"
        }
        return (reported["statement"]?.string, controls)
    }

    /// One exception for the file, whatever the number of runs, until the file is withdrawn. It has no amount, and posts
    /// nothing.
    @Test func aFailedControlIsAnExceptionAboutItsFile() async throws {
        try await PlantedLedger.with { planted in
            _ = try await Self.add(Self.file(net: "97.00"), to: planted)
            try await planted.reconcile()
            #expect(try await Self.found(in: planted) == [])
            let id = try await Self.add(Self.file(net: "98.00"), to: planted)
            try await planted.reconcile()
            let exception = try #require(try await Self.found(in: planted).first)
            let evidence = try Self.evidence(exception)
            #expect(evidence.statement == id.text && evidence.controls == ["total-net 9800 9700"])
            #expect(exception.line == nil && exception.state.amount == nil && exception.state.currency == nil)
            #expect(exception.merchant == "M1" && exception.day == CivilDate("2026-03-03"))
            try await StatementJournalTests.expectBalanced(planted)
            for isWhole in [false, true] {
                let again = try await planted.reconcile(whole: isWhole).completion
                #expect(again.raised + again.cleared == 0)
            }
            _ = try await planted.withdraw(id)
            #expect(try await planted.reconcile().completion.cleared == 1)
            #expect(try await Self.found(in: planted) == [])
        }
    }

    /// A file that names several merchants belongs to none, and one operator alone does not resolve its exception.
    @Test func anotherOperatorApprovesItsResolution() async throws {
        try await PlantedLedger.with { planted in
            _ = try await Self.add(Self.file(net: "1.00", merchants: ["M1", "M2"]), to: planted)
            try await planted.reconcile()
            let exception = try #require(try await Self.found(in: planted).first)
            #expect(exception.merchant == nil)
            let outcome = try await planted.ledger.reconciliation.exceptionCommands.act(
                .resolve(ExceptionResolution(.corrected, correction: "the sender's mail")),
                on: exception.id,
                reason: "the total has an old line",
                sender: PlantedLedger.sender
            )
            #expect(outcome.exception.state.status == .proposed)
            let approved = try await planted.approve(exception.id, by: PlantedLedger.approver)
            #expect(approved.exception.state.status == .resolved)
            // The same evidence does not open it again.
            let again = try await planted.reconcile(whole: true).completion
            #expect(again.raised == 0)
        }
    }
}
