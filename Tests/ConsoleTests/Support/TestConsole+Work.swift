import Access
import Canonical
import Composition
import Intake
import Journal
import Matching
import Operations
import Reconciliation
import Redaction
import Testing

extension TestConsole {
    /// Works some exceptions, closes a day, and exports the journal.
    func workExceptions() async throws {
        func sender(_ name: String) -> Sender { Sender(tenant: "acme", actor: name, correlation: "test", holder: name) }
        let open = try await ledger.reconciliation.exceptions.exceptions(of: "acme", limit: 4)
        let actions: [[ExceptionAction?]] = [
            [.assign("Dana"), .note], [.resolve(.init(.writtenOff))], [.resolve(.init(.timing)), nil],
        ]
        for (item, steps) in zip(open, actions) {
            for (number, step) in steps.enumerated() {
                try await ledger.catchUp()
                let found = try await ledger.reconciliation.exceptions.exception(item.id, of: "acme")
                guard let step = step ?? found?.state.proposal?.id.map({ .approve($0) }) else { continue }
                _ = try await ledger.reconciliation.exceptionCommands.act(
                    step,
                    on: item.id,
                    reason: "because of \"it\" & that",
                    sender: sender("person \(number)"),
                    waitLimit: .seconds(60)
                )
            }
        }
        _ = try await ledger.closePeriod(
            merchant: "m-1",
            day: "2026-09-22",
            reason: "all is there",
            idempotencyKey: nil,
            sender: sender("ann"),
            waitLimit: .seconds(60)
        )
        _ = try await ledger.exportJournal(
            ExportRequest(format: .xero),
            idempotencyKey: nil,
            sender: sender("ann"),
            waitLimit: .seconds(60)
        )
        try await ledger.catchUp()
    }

    /// A chargeback of the first of the two sales.
    func chargeBack(at time: Timestamp) async throws {
        let record: JSONValue = [
            "stream": "transaction/0198c1c2-6a00-7000-8000-000000000011",
            "events": [
                [
                    "schema": 1, "occurredAt": .string(time.adding(microseconds: 180_000_000).rfc3339),
                    "type": "ChargedBack",
                    "data": [
                        "id": "k1", "amount": ["value": 1234, "currency": "USD"], "evidence": "gateway",
                        "response": [:], "references": [:],
                    ],
                ]
            ],
        ]
        try await post("/v1/events", record.text, type: "application/json", as: [.documents, .events, .evidence])
        try await ledger.catchUp()
    }

    /// Two sales with one card at one till, a minute apart.
    func sellTwice(at time: Timestamp) async throws {
        for number in 1...2 {
            let at = time.adding(microseconds: Int64(number) * 60_000_000).rfc3339
            let amounts: JSONValue = ["total": ["value": 1234, "currency": "USD"]]
            let record: JSONValue = [
                "stream": .string("transaction/0198c1c2-6a00-7000-8000-00000000001\(number)"),
                "events": [
                    [
                        "schema": 1, "occurredAt": .string(at), "type": "SaleRequested",
                        "data": ["amounts": amounts, "references": ["terminal": "t-1", "merchant": "m-1"]],
                    ],
                    [
                        "schema": 1, "occurredAt": .string(at), "type": "AuthorizationApproved",
                        "data": [
                            "amounts": amounts, "evidence": "gateway", "response": [:], "references": [:],
                            "card": ["brand": "Visa", "lastFour": "4242"],
                        ],
                    ],
                ],
            ]
            try await post("/v1/events", record.text, type: "application/json", as: [.documents, .events, .evidence])
        }
        try await ledger.catchUp()
    }
}
