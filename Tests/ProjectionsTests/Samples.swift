import Canonical
import DaybookTestKit
import EventLog
import Matching
import Payments
import Postgres

/// The facts of the payments in these tests.
enum Samples {
    static func usd(_ minor: Int64) -> Money { Money(minor, .usd) }

    static func id(_ number: Int) -> UUID128 { UUID128(high: 0x0197_0000_0000_7000, low: 1 << 63 | UInt64(number)) }

    static func batch(_ number: String?, account: String? = "tpn-1", vendor: Vendor = .dejavoo) -> BatchReference {
        BatchReference(vendor: vendor, account: account, number: number)
    }

    static func document(
        vendor: Vendor = .dejavoo,
        merchant: String? = nil,
        terminal: String? = "tpn-1",
        device: String? = nil
    ) -> TransactionEvent {
        .documentReceived(
            DocumentReceived(
                vendor: vendor,
                kind: "test",
                document: .object([:]),
                redactions: [],
                merchant: merchant,
                terminal: terminal,
                device: device
            )
        )
    }

    static func approval(
        _ total: Int64,
        references: References = .init(),
        card: CardPresentation? = nil,
        at: ReportedTime? = nil
    ) -> Approval {
        Approval(
            amounts: Amounts(total: usd(total)),
            evidence: .gateway,
            response: Response(code: "00", message: "APPROVED"),
            references: references,
            card: card,
            at: at
        )
    }

    static func card(_ brand: String, lastFour: String = "1111", funding: String? = nil) -> CardPresentation {
        var card = CardPresentation()
        card.brand = brand
        card.lastFour = lastFour
        card.maskedNumber = "411111******\(lastFour)"
        card.funding = funding
        return card
    }

    /// A sale, from the document to the capture.
    static func sale(
        _ total: Int64,
        tip: Int64? = nil,
        batch: BatchReference? = nil,
        references: References = .init(),
        card: CardPresentation? = nil,
        document: TransactionEvent = document()
    ) -> [TransactionEvent] {
        [
            document,
            .saleRequested(PaymentRequest(amounts: Amounts(total: usd(total)), references: references)),
            .authorizationApproved(approval(total, references: references, card: card)),
            .captured(capture(Capture.saleID, total, tip: tip, batch: batch)),
        ]
    }

    /// The amounts with a tax of a tenth, or with two taxes by their labels, or with a label and a rest, or without, by
    /// the total.
    static func taxed(_ amounts: Amounts) -> Amounts {
        var taxed = amounts
        let tax = amounts.total.value / 10
        guard amounts.total.value % 4 > 0 else { return amounts }
        taxed.tax = usd(tax)
        let state = AmountPart(.tax, label: "State Tax", amount: usd(tax / 2))
        switch amounts.total.value % 4 {
        case 1: taxed.parts = [state, AmountPart(.tax, label: "City Tax", amount: usd(tax - tax / 2))]
        case 2: taxed.parts = [state]
        default: break
        }
        return taxed
    }

    static func capture(_ id: String, _ total: Int64, tip: Int64? = nil, batch: BatchReference? = nil) -> Capture {
        var amounts = Amounts(total: usd(total))
        amounts.tip = tip.map(usd)
        return Capture(id: id, amounts: amounts, evidence: .gateway, batch: batch)
    }

    /// A closing as the log has it.
    static func closing(_ names: [String], _ day: String) throws -> PeriodEvent {
        let others: JSONValue = names.count > 1 ? .array(names.dropFirst().map { .string($0) }) : .null
        return try PeriodEvent(
            type: "PeriodClosed",
            schema: 1,
            data: [
                "merchant": .string(names[0]), "otherNames": others, "day": .string(day), "zone": "UTC",
                "cutoff": "00:00", "position": 1, "totals": [], "carried": [], "reason": "done",
            ]
        )
    }

    static func reopening() throws -> PeriodEvent {
        try PeriodEvent(type: "PeriodReopened", schema: 1, data: ["reason": "a correction"])
    }

    static func taken(
        _ id: String,
        _ amount: Int64?,
        batch: BatchReference? = nil,
        at: Timestamp? = nil
    ) -> Return {
        Return(
            id: id,
            amount: amount.map(usd),
            evidence: .gateway,
            response: Response(code: "00"),
            references: .init(),
            batch: batch,
            at: at.map { .instant($0) }
        )
    }
}

extension TestLog {
    /// Appends facts about a payment unchanged, without asking the lifecycle.
    ///
    /// - Returns: The position of the last one.
    @discardableResult
    func record(
        _ facts: [TransactionEvent],
        about payment: UUID128,
        of tenant: String = "acme",
        occurredAt: Timestamp = Timestamp(microsecondsSince1970: 1_767_225_600_000_000)
    ) async throws -> Int64 {
        try await append(facts, to: StreamName.transaction(payment), of: tenant, occurredAt)
    }

    @discardableResult
    func record(_ facts: [BatchEvent], about batch: BatchReference, of tenant: String = "acme") async throws -> Int64 {
        try await append(facts, to: StreamName.batch(batch, of: tenant), of: tenant, clock.now())
    }

    @discardableResult
    func record(_ facts: [TenantEvent], of tenant: String = "acme") async throws -> Int64 {
        try await append(facts, to: StreamName.tenant(tenant), of: tenant, clock.now())
    }

    /// Appends the closing or reopening of a merchant's day.
    @discardableResult
    func record(_ fact: PeriodEvent, of merchant: String, on day: String) async throws -> Int64 {
        try await append([fact], to: StreamName.period(merchant, day, of: "acme"), of: "acme", clock.now())
    }

    /// Appends an event of a type that no build knows.
    @discardableResult
    func recordPoison(in stream: String, of tenant: String = "acme") async throws -> Int64 {
        let result = try await sequencer.append(
            AppendItem(tenant: tenant, stream: stream, expected: .any, events: [.sample("Nonsense")])
        )
        guard case .appended(let range) = result else { throw TestKitError("not appended: \(result)") }
        return range.lastPosition
    }

    private func append(
        _ facts: [some LedgerEvent],
        to stream: String,
        of tenant: String,
        _ occurredAt: Timestamp
    ) async throws -> Int64 {
        let events = try facts.map { fact in
            var event = ProposedEvent.sample(fact.type, data: try fact.data().text, occurredAt: occurredAt)
            event.schema = fact.schema
            event.source = EventSource(fact)
            return event
        }
        let result = try await sequencer.append(
            AppendItem(tenant: tenant, stream: stream, expected: .any, events: events)
        )
        guard case .appended(let range) = result else { throw TestKitError("not appended: \(result)") }
        return range.lastPosition
    }

    /// Changes a recorded event, which only the owner of the tables can do.
    func tamper(_ sql: String) async throws {
        try await superuser.withConnection { connection in
            try await connection.script(
                "ALTER TABLE ledger.events DISABLE TRIGGER ALL; \(sql); ALTER TABLE ledger.events ENABLE TRIGGER ALL"
            )
        }
    }
}
