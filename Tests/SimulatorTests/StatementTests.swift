import Canonical
import Matching
import Payments
import Statements
import Testing

@testable import Simulator

@Suite struct StatementTests {
    /// The rates of discrepancies of lines, batches and payouts.
    private static let planted = "all=0.06,batch-out-of-balance=0.6,unmatched-deposit=0.3,payout-differs=0.4"

    private static func statements(
        seed: UInt64 = 7,
        faults: Int = 20_000,
        discrepancies: String = planted
    ) throws -> SimulatedStatements {
        let played = try Played(
            seed: seed,
            transactions: 1_200,
            days: 3,
            faults: FaultProfile(all: faults),
            discrepancies: DiscrepancyProfile(parsing: discrepancies)
        )
        return try SimulatedStatements(played.plan, played.truth)
    }

    private static func read(_ file: StatementFile) throws -> [StatementItem] {
        var reader = file.format.reader(StatementOptions())
        var items: [StatementItem] = []
        try reader.read(file.bytes[...]) { items.append($0) }
        try reader.finish { items.append($0) }
        return items
    }

    /// Every format is read correctly, and nothing is out of balance unless it was planted.
    @Test(arguments: ["none", planted]) func statementsAreReadBack(discrepancies: String) throws {
        let statements = try Self.statements(discrepancies: discrepancies)
        let formats = Set(statements.files.map(\.format))
        #expect(formats == [.adyenSettlement, .amexGRRCN, .bai2, .camt053, .iposgoSettlement])
        var failed = 0
        for file in statements.files {
            #expect(StatementFormat.recognise(file.bytes) == file.format, "\(file.name)")
            let items = try Self.read(file)
            let lines = items.count { if case .line = $0 { true } else { false } }
            #expect(lines == file.lines, "\(file.name)")
            var controls = 0
            for case .control(let control) in items {
                controls += 1
                guard !control.holds else { continue }
                failed += 1
                #expect(["submission-gross", "batch-balance"].contains(control.name), "\(file.name): \(control)")
            }
            #expect(controls > 0, "\(file.name)")
        }
        let planted = statements.discrepancies.count {
            [.batchOutOfBalance, .payoutDiffers].contains($0.exceptionClass)
        }
        #expect(failed == planted && (discrepancies == "none") == (planted == 0))
    }

    /// The lines that the truth names exist and have its amounts.
    @Test func theTruthNamesLines() throws {
        let statements = try Self.statements()
        var lines: [String: [StatementLine]] = [:]
        for file in statements.files {
            lines[file.name] = try Self.read(file).compactMap { if case .line(let line) = $0 { line } else { nil } }
        }
        for one in statements.discrepancies {
            guard let file = one.file, let number = one.number else { continue }
            let line = try #require(lines[file]?[Int(number) - 1])
            let money = line.transactionAmount ?? Money(line.gross ?? line.amount ?? 0, line.currency)
            #expect(money.currency.alpha == one.currency)
            switch one.exceptionClass {
            case .missingInLedger, .duplicateAtProcessor, .inDoubtResolved, .chargebackWithoutSale, .unmatchedDeposit,
                .unexplainedLine, .chargebackNotRecorded:
                #expect(money.value == one.amount, "\(one)")
            default: break
            }
        }
    }

    /// A payout is the account's balance, and the bank receives it once.
    @Test func payoutsReachTheBank() throws {
        let statements = try Self.statements(discrepancies: "none")
        var paid: [String: Int64] = [:]
        var arrived: [String: Int64] = [:]
        for file in statements.files {
            for case .line(let line) in try Self.read(file) {
                switch (line.side, line.type) {
                case (.processor, .payout):
                    let id = try #require(line.references[.payout] ?? line.references[.processor])
                    paid[id, default: 0] -= line.amount ?? 0
                case (.bank, _):
                    let id = try #require(line.references[.endToEnd] ?? line.references[.invoice])
                    #expect(line.references[.text]?.contains(id) == true)
                    arrived[id, default: 0] += line.amount ?? 0
                default: break
                }
            }
        }
        #expect(paid == arrived && paid.count > 20)
    }

    @Test func theSamePlanGivesTheSameBytes() throws {
        let (first, again) = (try Self.statements(), try Self.statements())
        #expect(first.files == again.files && first.discrepancies == again.discrepancies)
        #expect(try Self.statements(seed: 8).files != first.files)
    }

    /// File names are unique, one of each kind per merchant.
    @Test func filesAreNamedDifferently() throws {
        let names = try Self.statements().files.map(\.name)
        #expect(Set(names).count == names.count)
    }

    @Test func withoutFaultsAndDiscrepanciesOnlyAuthorisationsExpire() throws {
        let statements = try Self.statements(faults: 0, discrepancies: "none")
        let classes = Set(statements.discrepancies.map(\.exceptionClass))
        #expect(classes == [.expiredAuthorization, .chargebackNotRecorded, .negativeBalance])
    }

    @Test func everyClassIsPlanted() throws {
        let following: [ExceptionClass] = [.controlFailed, .negativeBalance]
        // The simulation has no calendars.
        let others = following + [.missingStatement]
        #expect(Set(DiscrepancyProfile.planted) == Set(ExceptionClass.allCases).subtracting(others))
        let statements = try Self.statements()
        for exceptionClass in following {
            #expect(statements.discrepancies.contains { $0.exceptionClass == exceptionClass }, "\(exceptionClass)")
        }
        for exceptionClass in DiscrepancyProfile.planted {
            #expect(
                statements.discrepancies.contains { $0.exceptionClass == exceptionClass && $0.isPlanted },
                "\(exceptionClass)"
            )
        }
    }

    /// A single class plants no discrepancies of other classes.
    @Test(arguments: DiscrepancyProfile.reported)
    func discrepanciesReportedToTheLedgerArePlanted(exceptionClass: ExceptionClass)
        throws
    {
        var profile = DiscrepancyProfile()
        profile[exceptionClass] = 200_000
        let played = try Played(transactions: 1_200, days: 3, faults: .none, discrepancies: profile)
        let found = try SimulatedStatements(played.plan, played.truth).discrepancies.filter(\.isPlanted)
        #expect(found.count >= 20 && Set(found.map(\.exceptionClass)) == [exceptionClass], "\(found.count)")
        let names = Set(played.payments.map(\.reference))
        for one in found {
            #expect(names.contains(try #require(one.payment)), "\(one)")
            // An uncaptured authorisation is in no line.
            #expect((one.file == nil) == (exceptionClass == .expiredAuthorization), "\(one)")
        }
        let again = played.payments.filter { $0.tellsAgain != nil }
        #expect(again.isEmpty == (exceptionClass != .duplicateInLedger))
        #expect(names.count == 1_200 + again.count)
        let tag = try Played(transactions: 1_200, days: 3, faults: .none).plan.tag
        #expect(played.plan.tag != tag)
    }

    @Test func aTruthFileKeepsDiscrepancies() throws {
        let discrepancies = try Self.statements().discrepancies
        let lines = try TruthFile(payments: [], batches: [], discrepancies: discrepancies).lines()
        #expect(try TruthFile(lines: lines.map(\.canonicalBytes)).discrepancies == discrepancies)
    }

    @Test func profilesAreReadAndWritten() throws {
        var profile = DiscrepancyProfile(all: 20_000)
        profile[.late] = 500_000
        #expect(try DiscrepancyProfile(parsing: "all=0.02,late=0.5") == profile)
        #expect(try DiscrepancyProfile(parsing: profile.text) == profile)
        #expect(try DiscrepancyProfile(parsing: "none") == .none)
        for text in ["late", "late=2", "soon=0.1", "late=0.1,"] {
            #expect(throws: InvalidProfile.self) { try DiscrepancyProfile(parsing: text) }
        }
    }

    // MARK: Scores

    private static func answers(_ truth: [DiscrepancyTruth]) -> [FoundException] {
        truth.map {
            FoundException(
                exceptionClass: $0.exceptionClass.rawValue,
                file: $0.file,
                number: $0.number,
                payment: $0.payment,
                amount: $0.amount,
                currency: $0.currency
            )
        }
    }

    @Test func aReconciliationThatFindsEverythingIsClean() throws {
        let truth = try Self.statements().discrepancies
        let score = ReconciliationScore(truth, found: Self.answers(truth))
        #expect(score.isClean, "\(score.mismatches.prefix(3))")
        #expect(score.measures.allSatisfy { $0.measure.precision == 10_000 && $0.measure.recall == 10_000 })
        #expect(score.measures.reduce(0) { $0 + $1.measure.actual } == truth.count)
    }

    @Test func missingWrongAndInventedExceptionsAreReported() throws {
        let truth = try Self.statements().discrepancies
        let missed = ReconciliationScore(truth, found: Array(Self.answers(truth).dropFirst()))
        #expect(missed.mismatches.count == 1)
        #expect(missed.classes[truth[0].exceptionClass].map { $0.recall < 10_000 && $0.precision == 10_000 } == true)
        var answers = Self.answers(truth)
        answers[0].amount = (answers[0].amount ?? 0) + 1
        #expect(ReconciliationScore(truth, found: answers).mismatches.count == 1)
        answers = Self.answers(truth) + [Self.answers(truth)[0]]
        let invented = ReconciliationScore(truth, found: answers)
        #expect(invented.mismatches.count == 1)
        #expect(invented.classes[truth[0].exceptionClass].map { $0.precision < 10_000 && $0.recall == 10_000 } == true)
        let ignoring = ReconciliationScore(truth, found: [], ignoring: Set(ExceptionClass.allCases))
        #expect(ignoring.isClean)
    }
}
