import ArgumentParser
import Canonical
import Composition
import EventLog
import Intake
import Operations
import Payments
import Projections

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one payment: its status, amounts and events.",
        discussion: """
            The payment is folded from the log; the read models may be behind.

            EXAMPLES
              daybook show 0198c5f2-7c1e-7d6a-9a55-2f6e0d3c1b7a
              daybook show 0198c5f2-... --json | jq .amounts
              daybook show 0198c5f2-... --as-of 2026-03-01T12:00:00Z
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of the transaction, or a reference of it: a gateway id, an RRN, the app's reference.")
    var id: String

    @Option(help: "The payment as recorded at this time (RFC 3339).")
    var asOf: String?

    @Option(help: "The payment as of this position of the log.")
    var asOfPosition: Int64?

    @Option(help: "The tenant. Optional when there is only one.")
    var tenant: String?

    func run() async throws {
        let moment = try Moment(time: asOf, position: asOfPosition)
        try await Session.open(common) { session in
            try await session.withLedger(for: .reading([])) { ledger in
                let tenant = try await ledger.tenant(tenant)
                let payment = try await FoundPayment(id, in: ledger, tenant: tenant, at: moment)
                if common.json {
                    Terminal.say(payment.view.json.text)
                } else {
                    payment.describe()
                }
            }
        }
    }
}

/// A payment found by its id or a reference, folded from the log.
struct FoundPayment {
    let view: TransactionView
    let events: [RecordedEvent]

    /// - Parameter moment: The moment as of which the payment is folded; nil for the current state.
    init(_ text: String, in ledger: Ledger, tenant: String, at moment: Moment? = nil) async throws {
        var stream: String?
        if let id = UUID128(text) {
            stream = StreamName.transaction(id)
        } else {
            let vendors: [Vendor?] = [nil] + Vendor.allCases
            let schemes: [ReferenceKey.Scheme] = [.app, .gatewayTransaction, .retrievalReference, .vendorTransaction]
            let keys = vendors.flatMap { vendor in
                schemes.map { ReferenceKey(vendor: vendor, scheme: $0, value: text).text }
            }
            let found = Set(try await ledger.reader.streams(named: keys, of: tenant).values)
            guard found.count < 2 else {
                throw Failure(
                    "Several payments have this reference.",
                    hint: found.sorted().joined(separator: "\n  ")
                )
            }
            stream = found.first
        }
        guard let stream, let id = StreamName.transactionID(stream).flatMap(UUID128.init(_:)) else {
            throw Failure("There is no such payment.", hint: "`daybook tail` shows the newest events.")
        }
        let all = try await ledger.reader.stream(stream, of: tenant)
        events = moment.map { all.filter($0.contains) } ?? all
        guard let first = events.first, let last = events.last else {
            guard all.isEmpty else { throw Failure("The payment had no events at that time.") }
            throw Failure("There is no such payment.", hint: "`daybook tail` shows the newest events.")
        }
        view = TransactionView(
            id: id,
            state: TransactionState(folding: try events.map(TransactionEvent.init)),
            firstPosition: first.position,
            lastPosition: last.position,
            occurredAt: first.occurredAt,
            recordedAt: first.recordedAt
        )
    }

    /// Prints the payment as text.
    func describe() {
        let state = view.state
        func line(_ label: String, _ value: String?) {
            if let value, !value.isEmpty {
                Terminal.say(label + String(repeating: " ", count: max(1, 14 - label.count)) + value)
            }
        }
        func money(_ label: String, _ minor: Int64, _ isShown: Bool) {
            if isShown { line(label, state.money(minor)?.description) }
        }
        line("transaction", view.id.text)
        line("status", state.status.rawValue)
        line("operation", state.operation?.rawValue)
        line("vendor", state.identity.vendor?.rawValue)
        line("merchant", state.merchant)
        money("requested", state.authorization.requested ?? 0, state.authorization.requested != nil)
        money("authorized", state.authorized, state.hasApproval && state.credit == nil)
        money("captured", state.captured, !state.captures.isEmpty)
        money("  of which tip", state.tips, state.tips != 0)
        money("credited", state.credit?.net ?? 0, state.credit != nil)
        money("refunded", state.refunded, state.refunded != 0)
        money("due", state.due, state.due != 0)
        line("card", [state.card?.brand, state.card?.maskedNumber].compactMap { $0 }.joined(separator: " "))
        line("auth code", state.references.authorizationCode)
        line("gateway id", state.references.gatewayTransaction)
        line("rrn", state.references.retrievalReference)
        line("invoice", state.references.invoice)
        for anomaly in state.anomalies { line("anomaly", "\(anomaly.kind.rawValue): \(anomaly.explanation)") }
        Terminal.say()
        Terminal.table(
            ["position", "version", "recorded", "event", "actor"],
            events.map { ["\($0.position)", "\($0.version)", $0.recordedAt.rfc3339, $0.type, $0.actor] },
            rightAligned: [0, 1]
        )
    }
}

extension Moment {
    /// The moment of `--as-of` or `--as-of-position`; nil without either.
    ///
    /// - Throws: `Failure`.
    init?(time: String?, position: Int64?) throws {
        switch (time, position) {
        case (nil, nil): return nil
        case (let time?, nil): self = .time(try TotalsCommand.time(time, "--as-of"))
        case (nil, let position?):
            guard position >= 0 else { throw Failure.usage("--as-of-position must be 0 or more.") }
            self = .position(position)
        case (.some, .some): throw Failure.usage("--as-of and --as-of-position exclude each other.")
        }
    }
}
