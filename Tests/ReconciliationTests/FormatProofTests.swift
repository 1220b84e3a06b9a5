import Canonical
import Composition
import DaybookTestKit
import Matching
import Payments
import Postgres
import Projections
import Reconciliation
import Statements
import Testing

/// Payouts in the processors' formats, and deposits in the banks'.
struct FormatProofTests {
    private static let day = CivilDate(daysSince1970: 20_460)
    private static let createdAt = Timestamp(microsecondsSince1970: 1_768_950_000_000_000)

    private static func wall(_ day: CivilDate) -> Timestamp {
        Timestamp(microsecondsSince1970: day.daysSince1970 * 86_400_000_000)
    }

    private static func line(_ type: LineType, _ amount: Int64, fees: [LineFee] = []) -> StatementLine {
        var line = StatementLine(line: 0, side: .processor, type: type, currency: .usd)
        line.gross = amount
        line.fees = fees
        line.net = fees.reduce(amount) { $0 + $1.amount }
        line.day = day
        return line
    }

    private static func deposit(_ amount: Int64, text: String) -> StatementLine {
        var line = StatementLine(line: 0, side: .bank, type: .deposit, currency: .usd)
        (line.gross, line.net) = (amount, amount)
        line.bookedDay = CivilDate(daysSince1970: day.daysSince1970 + 2)
        line.references = [.account: "DE02120300000000202051", .text: text]
        return line
    }

    private static func camt(_ lines: [StatementLine]) throws -> [UInt8] {
        try CamtWriter(messageID: "M", createdAt: createdAt).write(lines)
    }

    private static func sums(_ proof: DepositProof) -> [[String]] {
        proof.settlements.map { settlement in
            settlement.buckets.map { "\($0.bucket.rawValue) \($0.count) \($0.amount.map(String.init) ?? "-")" }
        }
    }

    /// Imports files, runs once, and returns the proofs of all bank transfers, by their amounts.
    private func proofs(_ files: [[UInt8]]) async throws -> [DepositProof] {
        let found = Found()
        try await PlantedLedger.with { planted in
            for file in files {
                _ = try await planted.ledger.reconciliation.importer.import(
                    StatementBytes(file),
                    StatementImporter.Request(),
                    sender: PlantedLedger.sender
                )
            }
            try await planted.reconcile()
            for row in try await planted.ledger.pool.query(
                "SELECT id FROM read_statements.lines WHERE side = 'bank' ORDER BY amount",
                []
            ) {
                let proof = try await planted.deposits.proof(of: row.uuid(0), tenant: "acme")
                await found.add(try #require(proof))
            }
        }
        return await found.proofs
    }

    private actor Found {
        var proofs: [DepositProof] = []
        func add(_ proof: DepositProof) { proofs.append(proof) }
    }

    @Test func stripe() async throws {
        let report = """
            automatic_payout_id,automatic_payout_effective_at,balance_transaction_id,created_utc,created,available_on,\
            currency,gross,fee,net,reporting_category,source_id,charge_id,payment_intent_id,card_brand,description
            po_1,2026-01-08 00:00:00,txn_1,2026-01-05 10:00:00,2026-01-05 05:00:00,2026-01-07 00:00:00,usd,10.00,0.59,9.41,\
            charge,ch_1,ch_1,pi_1,Visa,Order
            po_1,2026-01-08 00:00:00,txn_2,2026-01-06 10:00:00,2026-01-06 05:00:00,2026-01-07 00:00:00,usd,-4.00,0.00,-4.00,\
            refund,re_1,ch_1,pi_1,Visa,
            po_1,2026-01-08 00:00:00,txn_3,2026-01-07 10:00:00,2026-01-07 05:00:00,2026-01-07 00:00:00,usd,-5.41,0.00,-5.41,\
            payout,po_1,,,,STRIPE PAYOUT

            """
        var deposit = Self.deposit(541, text: "STRIPE TRANSFER PO_1")
        deposit.rawType = "142"
        deposit.day = deposit.bookedDay
        deposit.references[.account] = "7788"
        let writer = BAI2Writer(sender: "S", receiver: "R", createdAt: Self.createdAt)
        let proofs = try await proofs([Array(report.utf8), try writer.write([deposit])])
        #expect(proofs.map(\.foots) == [true] && proofs.map(\.rule) == ["remittance"])
        #expect(proofs.first.map(Self.sums) == [["sales 1 1000", "refunds 1 -400", "fees 1 -59"]])
        #expect(proofs.first?.payouts.map(\.day) == ["2026-01-08"])
    }

    @Test func square() async throws {
        let entries = """
            {"payout":{"id":"po_9","status":"PAID","location_id":"L1","created_at":"2026-01-07T02:00:00Z",
              "amount_money":{"amount":9420,"currency":"USD"},"arrival_date":"2026-01-08"}}
            {"payout_entries":[
              {"id":"poe_1","payout_id":"po_9","effective_at":"2026-01-06T18:25:34Z","type":"CHARGE",
               "gross_amount_money":{"amount":15000,"currency":"USD"},"fee_amount_money":{"amount":480,"currency":"USD"},
               "net_amount_money":{"amount":14520,"currency":"USD"},"type_charge_details":{"payment_id":"pay_1"}},
              {"id":"poe_2","payout_id":"po_9","effective_at":"2026-01-06T19:25:34Z","type":"REFUND",
               "gross_amount_money":{"amount":-5000,"currency":"USD"},"fee_amount_money":{"amount":0,"currency":"USD"},
               "net_amount_money":{"amount":-5000,"currency":"USD"},
               "type_refund_details":{"payment_id":"pay_1","refund_id":"ref_1"}},
              {"id":"poe_3","payout_id":"po_9","effective_at":"2026-01-06T20:25:34Z","type":"DEPOSIT_FEE",
               "gross_amount_money":{"amount":-100,"currency":"USD"},"net_amount_money":{"amount":-100,"currency":"USD"}}]}

            """
        var deposit = Self.deposit(9420, text: "Square Inc")
        deposit.references[.endToEnd] = "po_9"
        let proofs = try await proofs([Array(entries.utf8), try Self.camt([deposit])])
        #expect(proofs.map(\.foots) == [true] && proofs.map(\.rule) == ["end-to-end"])
        #expect(proofs.first.map(Self.sums) == [["sales 1 15000", "refunds 1 -5000", "fees 2 -580"]])
    }

    /// Two merchants close a batch with the same number; each batch has its own rows.
    @Test func adyen() async throws {
        func settlement(_ merchant: String, _ amount: Int64) -> [StatementLine] {
            var lines = [
                Self.line(
                    .capture,
                    amount,
                    fees: [LineFee(.interchange, -40), LineFee(.scheme, -10), LineFee(.markup, -7)]
                ),
                Self.line(.chargeback, -900, fees: [LineFee(.commission, -750)]),
                Self.line(.fee, -12),
            ]
            lines.append(Self.line(.payout, -lines.reduce(0) { $0 + ($1.net ?? 0) }))
            return lines.enumerated().map { place, line in
                var line = line
                line.localTime = Self.wall(Self.day)
                line.zone = "CET"
                line.references[.merchant] = merchant
                line.references[.batch] = "380"
                line.references[.processor] = "\(merchant)-\(place)"
                return line
            }
        }
        let report = try AdyenWriter(company: "Shop").write(
            settlement("ShopPOS", 10_000) + settlement("ShopWeb", 20_000)
        )
        let bank = try Self.camt([
            Self.deposit(8_281, text: "ADYEN TX123 BATCH 380 SHOPPOS"),
            Self.deposit(18_281, text: "ADYEN TX124 BATCH 380 ShopWeb"),
        ])
        let proofs = try await proofs([report, bank])
        #expect(proofs.map(\.foots) == [true, true] && proofs.map(\.rule) == ["merchant-batch", "merchant-batch"])
        #expect(
            proofs.map { Self.sums($0)[0] }
                == [10_000, 20_000].map {
                    ["sales 1 \($0)", "chargebacks 1 -900", "fees 3 -769", "interchange 1 -40", "scheme 1 -10"]
                }
        )
    }

    /// The same payment number in two files: each pays the lines of the same file, once if files repeat them.
    @Test func americanExpress() async throws {
        let day = Self.day
        func file(_ sequence: Int64, _ sale: Int64) throws -> [UInt8] {
            func line(_ type: LineType, _ amount: Int64, fees: [LineFee] = []) -> StatementLine {
                var line = Self.line(type, amount, fees: fees)
                (line.day, line.valueDay, line.bookedDay) = (day, day, day)
                line.references[.payout] = "P1"
                line.references[.merchant] = "2222222222"
                return line
            }
            var batch = line(.batch, sale - 300, fees: [LineFee(.discount, -55)])
            (batch.role, batch.group) = (.total, "1")
            batch.references[.batch] = "1"
            let parts = [sale, -300].map { amount in
                var part = line(amount < 0 ? .refund : .capture, amount)
                (part.role, part.group, part.net, part.localTime) = (.part, "1", nil, Self.wall(day))
                part.references[.batch] = "1"
                part.references[.lastFour] = "1001"
                part.references[.processor] = "T\(sale)\(amount)"
                return part
            }
            var back = line(.chargeback, -250)
            back.references[.related] = "CB\(sale)"
            back.references[.lastFour] = "1001"
            back.references[.text] = "not received"
            var payout = line(.payout, -(sale - 300 - 55 - 250))
            payout.references[.merchant] = "1111111111"
            return try GRRCNWriter(fileName: "SHOP", sequence: sequence, createdAt: Self.createdAt)
                .write([payout, batch] + parts + [back])
        }
        let files = [
            try file(1, 5_000), try file(2, 7_000), try file(3, 7_000),
            try Self.camt([
                Self.deposit(4_395, text: "AMERICAN EXPRESS 1111111111"),
                Self.deposit(6_395, text: "AMERICAN EXPRESS 1111111111"),
            ]),
        ]
        let proofs = try await proofs(files)
        #expect(proofs.map(\.foots) == [true, true] && proofs.map(\.rule) == ["merchant-amount", "merchant-amount"])
        #expect(
            proofs.map { Self.sums($0)[0] }
                == [5_000, 7_000].map { ["sales 1 \($0)", "refunds 1 -300", "chargebacks 1 -250", "fees 1 -55"] }
        )
    }

    /// A withdrawal from a balance does not name the lines that it pays.
    @Test func paypal() async throws {
        let report = """
            "Date","Time","TimeZone","Name","Type","Status","Currency","Gross","Fee","Net","Transaction ID",\
            "Reference Txn ID","Invoice Number","Balance"
            "1/05/2026","09:00:00","PST","Ann","Express Checkout Payment","Completed","USD","1,000.00","-30.30","969.70",\
            "T1","","361","969.70"
            "1/07/2026","09:00:00","PST","","General Withdrawal","Completed","USD","-900.00","0.00","-900.00","T2","","",\
            "69.70"

            """
        let proofs = try await proofs([Array(report.utf8), try Self.camt([Self.deposit(90_000, text: "PAYPAL T2")])])
        #expect(proofs.map(\.rule) == ["remittance"] && proofs.map(\.difference) == [0])
        #expect(proofs.first?.settlements.map(\.basis) == [.none])
        #expect(proofs.first?.settlements.map(\.difference) == [nil] && proofs.map(\.foots) == [false])
    }
}
