import Composition
import DaybookTestKit
import Matching
import Postgres
import Reconciliation
import Statements
import Testing

/// Refunds in the processors' naming: under their payment with their own id, or the other way round.
struct RefundMatchingTests {
    private static func sale(_ number: Int, _ id: String, amount: Int64) -> PlantedWorld.Movement {
        PlantedWorld.Movement(transaction: number, amount: amount, day: 4, keys: ["gateway_id": id])
    }

    /// - Parameter own: Its own id; nil when the ledger does not know one.
    private static func refund(
        _ place: Int,
        of number: Int,
        _ origin: String,
        own: String?,
        amount: Int64
    ) -> PlantedWorld.Movement {
        var keys = ["origin_id": origin]
        keys["gateway_id"] = own
        return PlantedWorld.Movement(
            transaction: number,
            line: "refund:\(place)",
            type: "refund",
            status: "partially-refunded",
            amount: -amount,
            day: 6,
            keys: keys
        )
    }

    /// The link of each line: the rule, the line by its own id, and the movement.
    private func links(_ movements: [PlantedWorld.Movement], _ file: String) async throws -> Set<String> {
        let found = Found()
        try await PlantedLedger.with { planted in
            try await planted.put(movements)
            _ = try await planted.ledger.reconciliation.importer.import(
                StatementBytes(Array(file.utf8)),
                StatementImporter.Request(),
                sender: PlantedLedger.sender
            )
            try await planted.reconcile()
            for row in try await planted.ledger.pool.query(
                """
                SELECT k.rule, coalesce(CASE WHEN l.type = 'refund' THEN l.related_id END, l.processor_id), k.movement
                FROM read_reconciliation.links k JOIN read_statements.lines l ON l.tenant = k.tenant AND l.id = k.line
                WHERE k.until IS NULL
                """,
                []
            ) {
                await found.add("\(try row.text(0)) \(try row.text(1)) \(try row.text(2))")
            }
            #expect(try await planted.exceptions().isEmpty)
        }
        return await found.links
    }

    private actor Found {
        var links: Set<String> = []
        func add(_ link: String) { links.insert(link) }
    }

    private static let adyen = """
        Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,\
        Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Net Currency,Net Debit (NC),\
        Net Credit (NC),Batch Number

        """

    /// Two refunds of the same amount are reported in the other order on one day: their ids distinguish them.
    @Test func adyenReportsARefundUnderItsPayment() async throws {
        let movements = [
            Self.sale(1, "P1", amount: 5000), Self.refund(1, of: 1, "P1", own: "R1", amount: 700),
            Self.refund(2, of: 1, "P1", own: "R2", amount: 700), Self.sale(2, "P2", amount: 900),
            Self.refund(1, of: 2, "P2", own: nil, amount: 300),
        ]
        let links = try await links(
            movements,
            Self.adyen + """
                C,M,P1,o,visa,2026-01-05 10:00:00,UTC,Settled,P1,USD,,50.00,USD,,50.00,1
                C,M,P1,o,visa,2026-01-07 09:00:00,UTC,Refunded,R2,USD,7.00,,USD,7.00,,1
                C,M,P1,o,visa,2026-01-07 10:00:00,UTC,Refunded,R1,USD,7.00,,USD,7.00,,1
                C,M,P2,o,visa,2026-01-05 10:00:00,UTC,Settled,P2,USD,,9.00,USD,,9.00,1
                C,M,P2,o,visa,2026-01-07 10:00:00,UTC,Refunded,R9,USD,3.00,,USD,3.00,,1

                """
        )
        #expect(
            links == [
                "gateway-id P1 capture:sale", "refund-id R1 refund:1", "refund-id R2 refund:2",
                "gateway-id P2 capture:sale", "original-id R9 refund:1",
            ]
        )
    }

    @Test func stripeReportsARefundUnderItsCharge() async throws {
        let movements = [
            Self.sale(1, "ch_1", amount: 1000), Self.refund(1, of: 1, "ch_1", own: "re_1", amount: 400),
            Self.sale(2, "ch_2", amount: 1000), Self.refund(1, of: 2, "ch_2", own: nil, amount: 200),
        ]
        let links = try await links(
            movements,
            """
            automatic_payout_id,balance_transaction_id,created_utc,available_on,currency,gross,fee,net,reporting_category,\
            source_id,charge_id,payment_intent_id
            po_1,txn_1,2026-01-05 10:00:00,2026-01-07 00:00:00,usd,10.00,0.59,9.41,charge,ch_1,ch_1,pi_1
            po_1,txn_2,2026-01-07 10:00:00,2026-01-07 00:00:00,usd,-4.00,0.00,-4.00,refund,re_1,ch_1,pi_1
            po_1,txn_3,2026-01-05 10:00:00,2026-01-07 00:00:00,usd,10.00,0.59,9.41,charge,ch_2,ch_2,pi_2
            po_1,txn_4,2026-01-07 10:00:00,2026-01-07 00:00:00,usd,-2.00,0.00,-2.00,refund,re_2,ch_2,pi_2

            """
        )
        #expect(
            links == [
                "gateway-id ch_1 capture:sale", "refund-id re_1 refund:1", "gateway-id ch_2 capture:sale",
                "original-id re_2 refund:1",
            ]
        )
    }

    /// A refund does not show the outcome of its payment, so it resolves no doubt.
    @Test func aRefundResolvesNoDoubtAboutItsPayment() async throws {
        try await PlantedLedger.with { planted in
            var doubt = Self.sale(1, "P1", amount: 500)
            (doubt.type, doubt.line, doubt.status) = ("none", "", "in-doubt")
            let line = PlantedWorld.Line(
                name: "n",
                type: "refund",
                gross: -500,
                day: 5,
                keys: ["processor_id": "R1", "related_id": "P1"]
            )
            try await planted.put([doubt])
            try await planted.import([line])
            try await planted.reconcile()
            #expect(try await planted.exceptions().map(\.what) == ["missing-in-ledger"])
        }
    }
}
