import Canonical
import DaybookTestKit
import EventLog
import Matching
import Payments
import Redaction
import Testing

@testable import Reconciliation

/// What one operator writes off alone within 24 hours. The rows were written from the rule, without the code.
@Suite struct WriteOffSumTests {
    private static let limit: Int64 = 1_000
    private static let window: Int64 = MatchingRules.dailySeconds * 1_000_000

    /// An earlier write-off: by whom, how much, and how many microseconds ago.
    private struct Earlier {
        var holder = "Ann"
        var amount: Int64
        var age = window / 2
        var tenant: String?
        var currency = "USD"
        /// The operator who proposed it, if another one approved it.
        var proposedBy: String?
    }

    private struct Row {
        var amount: Int64
        var earlier: [Earlier] = []
        var holder: String? = "Ann"
        var currency = "USD"
        var isAllowed: Bool
    }

    private static let rows: [Row] = [
        Row(amount: limit - 1, isAllowed: true),
        Row(amount: limit, isAllowed: true),
        Row(amount: limit + 1, isAllowed: false),
        Row(amount: -(limit + 1), isAllowed: false),
        Row(amount: 0, isAllowed: true),
        Row(amount: 1, earlier: [Earlier(amount: limit - 1)], isAllowed: true),
        Row(amount: 2, earlier: [Earlier(amount: limit - 1)], isAllowed: false),
        Row(amount: 1, earlier: [Earlier(amount: limit - 2)], isAllowed: true),
        Row(amount: 1, earlier: [Earlier(amount: limit)], isAllowed: false),
        Row(amount: 0, earlier: [Earlier(amount: limit)], isAllowed: true),
        Row(amount: limit - 3, earlier: [Earlier](repeating: Earlier(amount: 1), count: 3), isAllowed: true),
        Row(amount: limit - 2, earlier: [Earlier](repeating: Earlier(amount: 1), count: 3), isAllowed: false),
        Row(amount: 1, earlier: [Earlier](repeating: Earlier(amount: limit / 2), count: 2), isAllowed: false),
        Row(amount: 1, earlier: [Earlier(holder: "ann", amount: limit)], isAllowed: false),
        Row(amount: 1, earlier: [Earlier(holder: " ANN ", amount: limit)], isAllowed: false),
        Row(amount: limit, earlier: [Earlier(holder: "Bob", amount: limit)], isAllowed: true),
        Row(amount: limit, earlier: [Earlier(amount: limit, tenant: "globex")], isAllowed: true),
        Row(amount: limit, earlier: [Earlier(amount: limit, currency: "EUR")], isAllowed: true),
        Row(amount: 1, earlier: [Earlier(amount: limit, currency: "EUR")], currency: "EUR", isAllowed: false),
        Row(amount: 1, currency: "CHF", isAllowed: false),
        Row(amount: limit, earlier: [Earlier(amount: limit, age: window + 1)], isAllowed: true),
        Row(amount: limit, earlier: [Earlier(amount: limit, age: window)], isAllowed: true),
        Row(amount: 1, earlier: [Earlier(amount: limit, age: window - 1)], isAllowed: false),
        Row(
            amount: 1,
            earlier: [Earlier(amount: limit, age: window + 1), Earlier(amount: limit - 1, age: window - 1)],
            isAllowed: true
        ),
        Row(
            amount: 2,
            earlier: [Earlier(amount: limit, age: window + 1), Earlier(amount: limit - 1, age: window - 1)],
            isAllowed: false
        ),
        Row(amount: limit, earlier: [Earlier(amount: 10 * limit, proposedBy: "Bob")], isAllowed: true),
        Row(amount: limit, earlier: [Earlier(holder: "Bob", amount: limit / 2)], isAllowed: true),
        Row(amount: 1, earlier: [Earlier(amount: .max)], isAllowed: false),
        Row(amount: 1, holder: nil, isAllowed: false),
        Row(amount: 1, holder: "root", isAllowed: false),
    ]

    @Test func sumsAreThoseOfThePersonTenantAndCurrency() async throws {
        let rules = MatchingRules(approvals: [
            ApprovalLimit(currency: "USD", above: Self.limit), ApprovalLimit(currency: "EUR", above: Self.limit),
        ])
        try await TestLog.with { log in
            let ids = UUIDv7Generator(clock: log.clock)
            let given = GivenAmounts(reader: log.reader, clock: log.clock)
            for (number, row) in Self.rows.enumerated() {
                log.clock.advance(microseconds: 3 * Self.window)
                let now = log.clock.now()
                let tenant = "tenant-\(number)"
                for earlier in row.earlier {
                    log.clock.set(now.adding(microseconds: -earlier.age))
                    let decision = ResolutionDecision(
                        evidence: 1,
                        resolution: ExceptionResolution(.writtenOff),
                        reason: "small",
                        proposedBy: earlier.proposedBy,
                        holder: earlier.holder,
                        given: earlier.proposedBy == nil ? earlier.amount : nil,
                        currency: earlier.currency
                    )
                    let event = ProposedEvent(
                        id: ids.next(),
                        type: ExceptionEvent.Name.resolved.rawValue,
                        schema: 1,
                        occurredAt: log.clock.now(),
                        actor: "key:1",
                        correlation: "test",
                        data: try JSONValueEncoder().encode(decision).text
                    )
                    let item = AppendItem(
                        tenant: earlier.tenant ?? tenant,
                        stream: StreamName.exception(ids.next()),
                        expected: .version(0),
                        events: [event]
                    )
                    _ = try await log.sequencer.append(item)
                }
                log.clock.set(now)
                let actor = KeyHolder(actor: "key:2", holder: row.holder)
                var sum: [Int64] = []
                if let person = actor.person {
                    sum = try await given.earlier(of: person, in: row.currency, tenant: tenant).amounts
                }
                for kind in [ExceptionResolution.Kind.writtenOff, .corrected] {
                    let state = ExceptionCase(evidence: 1, amount: row.amount, currency: row.currency)
                    let event = try state.decide(
                        .resolve(ExceptionResolution(kind)),
                        by: actor,
                        proposal: ids.next(),
                        reason: "small",
                        rules: rules,
                        earlier: sum
                    )
                    #expect((event.name == .resolved) == row.isAllowed, "row \(number): \(row), after \(sum)")
                }
            }
        }
    }
}
