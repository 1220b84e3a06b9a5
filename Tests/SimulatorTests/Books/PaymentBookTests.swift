import Canonical
import Payments
import Testing

@testable import Simulator

/// Payments that are played by hand, with the balances that `docs/journal.md` gives them.
@Suite struct PaymentBookTests {
    struct Play: Sendable, CustomTestStringConvertible {
        let name: String
        let vendor: Vendor
        /// The balances at the end of the first and of the second day.
        let balances: [[String: Int64]]
        let play: @Sendable (inout HandPlayed, BatchName) -> Void

        init(
            _ name: String,
            _ vendor: Vendor,
            _ first: [String: Int64],
            _ second: [String: Int64],
            _ play: @escaping @Sendable (inout HandPlayed, BatchName) -> Void
        ) {
            self.name = name
            self.vendor = vendor
            balances = [first, second]
            self.play = play
        }

        var testDescription: String { name }
    }

    private static let sale: [String: Int64] = [
        "processor-receivable/bridgepay USD": 1_000, "sales/credit USD": -1_000,
    ]

    static let plays = [
        Play("a sale that no document names a tender of", .handpoint, noTender, noTender) { till, batch in
            till.report { $0.sell(in: batch) }
        },
        Play("a sale with a tip", .bridgepay, tipped, tipped) { till, batch in
            till.report {
                $0.tender = "credit"
                $0.tip = 150
                $0.sell(1_150, in: batch)
            }
        },
        Play("a tip on the next day", .bridgepay, sale, tipped) { till, batch in
            sell(&till, batch)
            till.report(after: 20) { $0.adjust(tip: 150) }
        },
        Play("a tip above what is left", .bridgepay, onlyTip, onlyTip) { till, batch in
            till.report {
                $0.tender = "credit"
                $0.tip = 2_000
                $0.sell(in: batch)
            }
        },
        Play("taxes and a surcharge", .dejavoo, taxed, taxed) { till, batch in
            till.report {
                $0.tender = "debit"
                $0.taxes = [TaxTruth(label: "Local Tax", amount: 40), TaxTruth(label: "State Tax", amount: 41)]
                $0.surcharge = 30
                $0.sell(in: batch)
            }
        },
        Play("a tax without a label, cash back, and a tip of a clerk", .bridgepay, detailed, detailed) { till, batch in
            till.report {
                $0.tender = "debit"
                $0.tip = 100
                $0.tipRecipient = "clerk-2"
                $0.taxes = [TaxTruth(label: "", amount: 40)]
                $0.cashBack = 200
                $0.sell(in: batch)
            }
        },
        Play("a void on the next day", .bridgepay, sale, [:]) { till, batch in
            sell(&till, batch)
            till.report(after: 20) { $0.void() }
        },
        Play("a partial refund on the next day", .bridgepay, sale, refunded) { till, batch in
            sell(&till, batch)
            till.report(after: 20) { $0.refund(300) }
        },
        Play("a credit", .bridgepay, credited, credited) { till, batch in
            till.report {
                $0.tender = "credit"
                $0.credit(in: batch)
            }
        },
        Play("a gift card, then a credit card", .paydiant, split, split) { till, batch in
            till.report {
                $0.sell(400, in: batch)
                $0.parts = [400]
                $0.tenders = ["gift"]
            }
            till.report {
                $0.sell(1_000, in: batch)
                $0.parts = [400, 600]
                $0.tenders = ["gift", "credit"]
            }
        },
        Play("cash and a check", .bridgepay, cash, cash) { till, batch in
            till.report {
                $0.sell(in: batch)
                $0.parts = [400, 600]
                $0.tenders = ["cash", "check"]
            }
        },
        Play("cash from a machine", .paydiant, dispensed, dispensed) { till, batch in
            till.report {
                $0.isCash = true
                $0.sell(in: batch)
            }
        },
        Play("cash into a machine", .paydiant, collected, collected) { till, batch in
            till.report {
                $0.isCash = true
                $0.credit(in: batch)
            }
        },
        Play("a gift card is loaded", .bridgepay, loaded, loaded) { till, batch in
            till.report {
                $0.end(.completed)
                $0.loaded = 500
            }
        },
        Play("an authorization", .bridgepay, [:], [:]) { till, batch in
            till.report { $0.authorize() }
        },
        Play("the capture of an authorization on the next day", .bridgepay, [:], sale) { till, batch in
            till.report { $0.authorize() }
            till.report(after: 20) {
                $0.tender = "credit"
                $0.capture(1_000, tip: 0, in: batch)
            }
        },
        Play("a sale at the test system", .bridgepay, [:], [:]) { till, batch in
            till.report {
                $0.isTest = true
                $0.sell(in: batch)
            }
        },
        Play("an answer that is recovered on the next day", .bridgepay, [:], sale) { till, batch in
            till.report {
                $0.tender = "credit"
                $0.sell(in: batch)
                $0.evidence = .missing
            }
            till.report(after: 20) { $0.evidence = .complete }
        },
        Play("a terminal prints the next day", .bridgepay, [:], sale) { till, batch in
            till.report {
                $0.printedAt = "2025-03-04T00:10:00"
                $0.tender = "credit"
                $0.sell(in: batch)
            }
        },
        Play("the tender is named on the next day", .bridgepay, unnamed, sale) { till, batch in
            till.report { $0.sell(in: batch) }
            till.report(after: 20) { $0.tender = "credit" }
        },
        Play("no document names the tender", .bridgepay, unnamed, unnamed) { till, batch in
            sell(&till, batch)
            till.forgetTender()
        },
    ]

    private static func sell(_ till: inout HandPlayed, _ batch: BatchName) {
        till.report {
            $0.tender = "credit"
            $0.sell(in: batch)
        }
    }

    private static let noTender: [String: Int64] = ["processor-receivable/handpoint GBP": 1_000, "sales GBP": -1_000]
    private static let unnamed: [String: Int64] = ["processor-receivable/bridgepay USD": 1_000, "sales USD": -1_000]
    private static let tipped: [String: Int64] = [
        "processor-receivable/bridgepay USD": 1_150, "tips-payable USD": -150, "sales/credit USD": -1_000,
    ]
    private static let onlyTip: [String: Int64] = [
        "processor-receivable/bridgepay USD": 1_000, "tips-payable USD": -1_000,
    ]
    private static let taxed: [String: Int64] = [
        "processor-receivable/dejavoo USD": 1_000, "tax-payable/Local Tax USD": -40, "tax-payable/State Tax USD": -41,
        "surcharge USD": -30, "sales/debit USD": -889,
    ]
    private static let detailed: [String: Int64] = [
        "processor-receivable/bridgepay USD": 1_000, "tips-payable/clerk-2 USD": -100, "tax-payable USD": -40,
        "cash-back USD": -200, "sales/debit USD": -660,
    ]
    private static let refunded: [String: Int64] = [
        "processor-receivable/bridgepay USD": 700, "sales/credit USD": -1_000, "refunds/credit USD": 300,
    ]
    private static let credited: [String: Int64] = [
        "processor-receivable/bridgepay USD": -1_000, "refunds/credit USD": 1_000,
    ]
    private static let split: [String: Int64] = [
        "gift-liability/gift USD": 400, "sales/gift USD": -400, "processor-receivable/paydiant USD": 600,
        "sales/credit USD": -600,
    ]
    private static let cash: [String: Int64] = [
        "undeposited-cash/cash USD": 400, "sales/cash USD": -400, "undeposited-cash/check USD": 600,
        "sales/check USD": -600,
    ]
    private static let dispensed: [String: Int64] = [
        "processor-receivable/paydiant USD": 1_000, "cash-machine USD": -1_000,
    ]
    private static let collected = dispensed.mapValues { -$0 }
    private static let loaded: [String: Int64] = ["sales/gift USD": 500, "gift-liability/gift USD": -500]

    @Test(arguments: plays) func theBalancesAreThoseByHand(_ play: Play) throws {
        var till = try HandPlayed(play.vendor)
        let batch = till.batch
        play.play(&till, batch)
        for (day, expected) in zip(HandPlayed.days, play.balances) {
            #expect(till.balances(on: day) == expected, "\(day)")
        }
        #expect(till.balances(on: nil) == play.balances[1])
    }

    /// 16:00 in UTC is 01:00 of the next day in Tokyo.
    @Test func aDayIsThatOfTheMerchantsZone() throws {
        var till = try HandPlayed(.bridgepay, zone: "Asia/Tokyo")
        let batch = till.batch
        till.report(after: 4) { $0.sell(in: batch) }
        #expect(till.balances(on: HandPlayed.days[0]).isEmpty)
        #expect(till.balances(on: HandPlayed.days[1]) == Self.unnamed)
    }
}
