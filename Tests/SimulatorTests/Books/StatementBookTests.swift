import Canonical
import Matching
import Payments
import Statements
import Testing

@testable import Simulator

/// Lines and exceptions that are made by hand, with the balances that `docs/journal.md` gives them.
@Suite struct StatementBookTests {
    struct Sheet: Sendable, CustomTestStringConvertible {
        let name: String
        var format = StatementFormat.adyenSettlement
        let balances: [String: Int64]
        let lines: @Sendable () -> [PostedLine]

        var testDescription: String { name }
    }

    private static let holder = AccountPlace(.processorReceivable, "bridgepay")

    private static func line(
        _ type: LineType,
        _ gross: Int64,
        fees: [LineFee] = [],
        side: StatementSide = .processor
    ) -> PostedLine {
        var line = StatementLine(line: 0, side: side, type: type, currency: .usd)
        line.gross = gross
        line.fees = fees
        line.net = fees.reduce(gross) { $0 + $1.amount }
        return PostedLine(line)
    }

    /// A line about a payment.
    private static func sale(
        _ gross: Int64 = 1_000,
        fees: [LineFee] = [],
        isMatched: Bool = true,
        wrong: ExceptionClass? = nil,
        amount: Int64? = nil
    ) -> PostedLine {
        var posted = line(.capture, gross, fees: fees)
        posted.holder = holder
        if isMatched { posted.payment = "payment" }
        if let wrong { posted.note(wrong, isPlanted: true, of: "payment", amount) }
        return posted
    }

    private static func wrong(_ posted: PostedLine, _ wrong: ExceptionClass, _ amount: Int64? = nil) -> PostedLine {
        var posted = posted
        posted.note(wrong, isPlanted: true, of: nil, amount)
        return posted
    }

    private static func paid(_ posted: PostedLine) -> PostedLine {
        var posted = posted
        posted.payout = "payout"
        return posted
    }

    static let sheets = [
        Sheet(
            name: "a sale with fees that a payment explains",
            balances: [
                "processor-receivable/adyen-settlement USD": 970, "fees/commission USD": 20, "fees/markup USD": 10,
                "processor-receivable/bridgepay USD": -1_000,
            ]
        ) { [sale(fees: [LineFee(.commission, -20), LineFee(.markup, -10)])] },
        Sheet(
            name: "a sale of a gift card",
            balances: ["processor-receivable/adyen-settlement USD": 1_000, "gift-liability/gift USD": -1_000]
        ) {
            var posted = sale()
            posted.holder = AccountPlace(.giftLiability, "gift")
            return [posted]
        },
        Sheet(
            name: "a refund",
            balances: ["processor-receivable/adyen-settlement USD": -300, "processor-receivable/bridgepay USD": 300]
        ) { [sale(-300)] },
        Sheet(
            name: "a sale that no terminal made",
            balances: [
                "processor-receivable/adyen-settlement USD": 980, "fees/commission USD": 20, "suspense USD": -1_000,
            ]
        ) { [wrong(line(.capture, 1_000, fees: [LineFee(.commission, -20)]), .missingInLedger)] },
        Sheet(
            name: "a line that nothing explains",
            balances: ["processor-receivable/adyen-settlement USD": 1_000, "suspense USD": -1_000]
        ) { [line(.capture, 1_000)] },
        Sheet(
            name: "an adjustment without a reason",
            balances: ["processor-receivable/adyen-settlement USD": -250, "suspense USD": 250]
        ) { [wrong(line(.adjustment, -250), .unexplainedLine)] },
        Sheet(
            name: "a line above its sale",
            balances: [
                "processor-receivable/adyen-settlement USD": 1_010, "processor-receivable/bridgepay USD": -1_000,
                "suspense USD": -10,
            ]
        ) { [sale(1_010, isMatched: false, wrong: .amountDiffers, amount: 10)] },
        Sheet(
            name: "a sale in another currency",
            balances: [
                "processor-receivable/adyen-settlement USD": 1_000, "currency-clearing USD": -1_000,
                "currency-clearing EUR": 900, "suspense EUR": -900,
            ]
        ) {
            var posted = sale(isMatched: false)
            posted.line.transactionAmount = Money(900, .eur)
            return [wrong(posted, .currencyDiffers)]
        },
        Sheet(
            name: "a repeated line",
            balances: [
                "processor-receivable/adyen-settlement USD": 2_000, "processor-receivable/bridgepay USD": -1_000,
                "suspense USD": -1_000,
            ]
        ) { [sale(), sale(isMatched: false, wrong: .duplicateAtProcessor)] },
        Sheet(
            name: "a sale that the terminal reports as voided",
            format: .iposgoSettlement,
            balances: ["processor-receivable/bridgepay USD": -1_000, "suspense USD": 1_000]
        ) {
            var posted = sale(isMatched: false, wrong: .statusDiffers, amount: -1_000)
            posted.line.type = .void
            posted.line.net = 0
            return [posted]
        },
        Sheet(
            name: "a fee above the agreed one",
            balances: [
                "processor-receivable/adyen-settlement USD": 965, "fees/commission USD": 35, "fees/other USD": -15,
                "processor-receivable/bridgepay USD": -1_000, "suspense USD": 15,
            ]
        ) { [sale(fees: [LineFee(.commission, -35)], wrong: .feeDiffers, amount: -15)] },
        Sheet(
            name: "a late line",
            balances: [
                "processor-receivable/adyen-settlement USD": 1_000, "processor-receivable/bridgepay USD": -1_000,
            ]
        ) { [sale(wrong: .late, amount: 0)] },
        Sheet(
            name: "a chargeback that the run records",
            balances: [
                "processor-receivable/adyen-settlement USD": -2_500, "fees/markup USD": 1_500,
                "dispute-receivable/bridgepay USD": 1_000,
            ]
        ) {
            var posted = line(.chargeback, -1_000, fees: [LineFee(.markup, -1_500)])
            posted.holder = holder
            posted.payment = "payment"
            posted.disputed = AccountPlace(.disputeReceivable, "bridgepay")
            return [wrong(posted, .chargebackNotRecorded)]
        },
        Sheet(
            name: "a chargeback without a sale",
            balances: ["processor-receivable/adyen-settlement USD": -1_000, "suspense USD": 1_000]
        ) { [wrong(line(.chargeback, -1_000), .chargebackWithoutSale)] },
        Sheet(
            name: "a payment in doubt that the line resolves",
            balances: [
                "processor-receivable/adyen-settlement USD": 1_000, "processor-receivable/bridgepay USD": -1_000,
            ]
        ) { [sale(wrong: .inDoubtResolved)] },
        Sheet(
            name: "a payout that arrives",
            balances: ["processor-receivable/adyen-settlement USD": -500, "bank USD": 500]
        ) { [paid(line(.payout, -500)), paid(line(.deposit, 500, side: .bank))] },
        Sheet(
            name: "a payout that has not arrived yet",
            balances: ["processor-receivable/adyen-settlement USD": -500, "cash-in-transit USD": 500]
        ) { [paid(line(.payout, -500))] },
        Sheet(
            name: "a payout that does not arrive",
            balances: ["processor-receivable/adyen-settlement USD": -500, "suspense USD": 500]
        ) { [wrong(line(.payout, -500), .unmatchedDeposit)] },
        Sheet(
            name: "a payout less than its lines",
            balances: [
                "processor-receivable/adyen-settlement USD": -550, "cash-in-transit USD": 500, "suspense USD": 50,
            ]
        ) { [wrong(paid(line(.payout, -500)), .payoutDiffers, -50)] },
        Sheet(name: "a transfer without a payout", balances: ["bank USD": 70, "suspense USD": -70]) {
            [wrong(line(.deposit, 70, side: .bank), .unmatchedDeposit)]
        },
        Sheet(name: "a transfer that is the bank's own", balances: [:]) { [line(.deposit, 70, side: .bank)] },
        Sheet(
            name: "a reserve and its release",
            balances: ["processor-receivable/adyen-settlement USD": -30, "reserve/adyen-settlement USD": 30]
        ) { [line(.reserve, -50), line(.reserveRelease, 20)] },
        Sheet(
            name: "a monthly fee",
            balances: ["processor-receivable/adyen-settlement USD": -2_900, "fees/other USD": 2_900]
        ) { [line(.fee, -2_900)] },
        Sheet(name: "a balance that is carried over", balances: [:]) { [line(.transfer, 300), line(.transfer, -300)] },
        Sheet(
            name: "a balance below zero at the end",
            balances: ["processor-receivable/adyen-settlement USD": 300, "suspense USD": -300]
        ) { [wrong(line(.transfer, 300), .negativeBalance)] },
        Sheet(
            name: "a submission with its transactions, of which it is not the sum",
            format: .amexGRRCN,
            balances: [
                "processor-receivable/amex-grrcn USD": 1_171, "fees/discount USD": 29,
                "processor-receivable/bridgepay USD": -1_000, "suspense USD": -200,
            ]
        ) {
            var total = line(.batch, 1_200, fees: [LineFee(.discount, -29)])
            total.line.role = .total
            var part = sale()
            part.line.role = .part
            part.line.net = nil
            return [wrong(total, .batchOutOfBalance, 200), part]
        },
    ]

    @Test(arguments: sheets) func theBalancesAreThoseByHand(_ sheet: Sheet) {
        var book = StatementBook()
        for posted in sheet.lines() {
            book.enter(posted, sheet.format)
            for wrong in posted.wrongs {
                let raised = DiscrepancyTruth(
                    wrong.exceptionClass,
                    isPlanted: true,
                    payment: wrong.payment,
                    file: nil,
                    number: nil,
                    amount: wrong.amount,
                    currency: wrong.currency
                )
                book.raise(raised, against: StatementBook.place(of: wrong.exceptionClass, posted, sheet.format))
            }
        }
        #expect(named(book.balances) == sheet.balances)
    }

    @Test func aPaymentMissingAtTheProcessorIsInSuspense() {
        var book = StatementBook()
        let raised = DiscrepancyTruth(
            .missingAtProcessor,
            isPlanted: true,
            payment: "payment",
            file: nil,
            number: nil,
            amount: -1_000,
            currency: "USD"
        )
        book.raise(raised, against: Self.holder)
        #expect(named(book.balances) == ["processor-receivable/bridgepay USD": -1_000, "suspense USD": 1_000])
    }

    // MARK: Whole simulations

    private static let planted = "all=0.06,batch-out-of-balance=0.6,unmatched-deposit=0.3,payout-differs=0.4"

    @Test(arguments: ["none", planted]) func aWholeSimulationBalances(discrepancies: String) throws {
        let played = try Played(
            transactions: 1_200,
            days: 3,
            discrepancies: DiscrepancyProfile(parsing: discrepancies)
        )
        var truth = TruthFile(played.simulation)
        let statements = try SimulatedStatements(played.plan, truth)
        truth.add(statements)
        for (place, balances) in Dictionary(grouping: truth.balances, by: { [$0.state.rawValue, $0.day ?? ""] }) {
            var sums: [String: Int64] = [:]
            for one in balances { sums[one.account.currency, default: 0] += one.amount }
            #expect(sums.values.allSatisfy { $0 == 0 }, "\(place): \(sums)")
        }
        let reconciled = truth.balances.filter { $0.state == .reconciled }
        #expect(Set(reconciled.map(\.account.currency)).count >= 4)
        // Suspense is the open exceptions.
        var open: [String: Int64] = [:]
        for one in truth.discrepancies
        where ![.inDoubtResolved, .chargebackNotRecorded].contains(one.exceptionClass) {
            if let currency = one.currency, let amount = one.amount { open[currency, default: 0] -= amount }
        }
        let suspense = reconciled.filter { $0.account.name == "suspense" }.map { ($0.account.currency, $0.amount) }
        #expect(Dictionary(uniqueKeysWithValues: suspense) == open.filter { $0.value != 0 })
        // Processors owe nothing: every batch is paid out or carried over, and exceptions have the rest.
        let owed = reconciled.filter {
            $0.account.name == "processor-receivable" && ["adyen-settlement", "amex-grrcn"].contains($0.account.part)
        }
        #expect(owed.isEmpty, "\(owed)")
    }
}
