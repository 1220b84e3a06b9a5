import ArgumentParser
import Canonical
import Composition
import Operations
import Payments
import Projections

struct BatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Show settlement batches and their totals.",
        discussion: """
            --json prints a list, and with an id the answer of GET /v1/batches/{id}.

            EXAMPLES
              daybook batch
              daybook batch 121 --json
              daybook batch 121 --agreement
              daybook batch 0198c5f2-... --as-of-position 120000
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "Only batches with this number, or the id of one batch.")
    var number: String?

    @Flag(
        help:
            "Compare the ledger's net of closed batches with the host's, and name the payments that explain a difference."
    )
    var agreement = false

    @Option(help: "The batches as recorded at this time (RFC 3339).")
    var asOf: String?

    @Option(help: "The batches as of this position of the log.")
    var asOfPosition: Int64?

    @Option(help: "The maximum number of batches, newest first, 1 to 1000.")
    var limit = 50

    @Option(help: "The tenant. Optional when there is only one.")
    var tenant: String?

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
        guard !agreement || (asOf == nil && asOfPosition == nil) else {
            throw ValidationError("--agreement excludes --as-of and --as-of-position.")
        }
    }

    func run() async throws {
        let moment = try Moment(time: asOf, position: asOfPosition)
        try await Session.open(common) { session in
            try await session.withLedger(
                for: .reading(Lists.batches.readModels + (agreement ? ["transactions", "anomalies"] : []))
            ) { ledger in
                let tenant = try await ledger.tenant(tenant)
                if let id = number.flatMap({ UUID128($0) }) {
                    return try await show(id, of: tenant, in: ledger, at: moment)
                }
                let batches: [BatchView]
                if let moment {
                    batches = try await past(moment, of: tenant, in: ledger)
                } else {
                    batches = try await ledger.payments.batches.batches(of: tenant, number: number, limit: limit)
                }
                if agreement { return try await Self.compare(batches, of: tenant, in: ledger, asJSON: common.json) }
                if common.json { return try Terminal.say(json: batches.map(BatchJSON.init)) }
                if batches.isEmpty { return Terminal.say("no batches") }
                Self.show(batches)
            }
        }
    }

    /// Past batches, page after page. A page may be short although more follow.
    private func past(_ moment: Moment, of tenant: String, in ledger: Ledger) async throws -> [BatchView] {
        let position = try await ledger.position(of: moment)
        var found: [BatchView] = []
        var before: Int64? = .max
        while let first = before, found.count < limit {
            let rest = limit - found.count
            let page = try await ledger.payments.pastBatches.batches(
                of: tenant,
                number: number,
                at: position,
                before: first,
                limit: rest
            )
            found += page.items
            before = page.next
        }
        return found
    }

    /// Prints the answer of GET /v1/batches/{id}/agreement for each batch with a net reported by the host.
    private static func compare(
        _ batches: [BatchView],
        of tenant: String,
        in ledger: Ledger,
        asJSON: Bool
    ) async throws {
        var items: [JSONValue] = []
        var rows: [[String]] = []
        for batch in batches {
            guard let found = try await ledger.payments.agreement(of: batch, tenant: tenant) else { continue }
            var object = try AgreementJSON(found).jsonValue().object ?? [:]
            object["batch"] = .string(batch.id.text)
            items.append(.object(object))
            rows += found.lines(of: batch)
        }
        if asJSON { return Terminal.say(.array(items)) }
        guard !rows.isEmpty else { return Terminal.say("no closed batch with a net reported by the host") }
        Terminal.table(
            ["batch", "verdict", "host", "ledger", "difference", "payment", "why", "by"],
            rows,
            rightAligned: [2, 3, 4, 7]
        )
    }

    private func show(_ id: UUID128, of tenant: String, in ledger: Ledger, at moment: Moment?) async throws {
        let found: BatchView?
        if let moment {
            found = try await ledger.payments.pastBatches.batch(
                id,
                of: tenant,
                at: try await ledger.position(of: moment)
            )
        } else {
            found = try await ledger.payments.batches.batch(id, of: tenant)
        }
        guard let found else { throw Failure("There is no such batch.", hint: "`daybook batch` lists them.") }
        if common.json { return try Terminal.say(json: BatchJSON(found)) }
        Self.show([found])
        if let position = found.asOf { Terminal.note("As of position \(position).") }
    }

    static func show(_ batches: [BatchView]) {
        Terminal.table(
            ["batch", "vendor", "account", "status", "sales", "tips", "refunds", "voided", "net"],
            batches.flatMap { batch in batch.lines },
            rightAligned: [4, 5, 6, 7, 8]
        )
    }
}

extension BatchView {
    /// One row for each currency; one row without amounts for an empty batch.
    fileprivate var lines: [[String]] {
        let head = [
            reference.shownNumber ?? "(open)", reference.vendor.rawValue, reference.account ?? "-", status.rawValue,
        ]
        let empty = head + ["-", "-", "-", "-", "-"]
        let rows = nets.map { net -> [String] in
            func sum(_ amount: (BatchTotal) -> Int64) -> String {
                let minor = totals.filter { $0.currency == net.currency }.reduce(Int64(0)) {
                    $0.addingSaturated(amount($1))
                }
                return Money(minor, net.currency).description
            }
            return head + [
                sum { $0.net > 0 ? $0.amount : 0 }, sum(\.tips), sum { $0.net < 0 ? $0.amount : 0 }, sum(\.voided),
                net.description,
            ]
        }
        return rows.isEmpty ? [empty] : rows
    }
}

extension BatchAgreement {
    /// One row for the batch, and one for each payment of each explanation.
    fileprivate func lines(of batch: BatchView) -> [[String]] {
        let name = batch.reference.shownNumber ?? batch.id.text
        let head = [name, verdict.rawValue, host.description, ledger.description, difference.description]
        let rows = explanations.enumerated().flatMap { number, set in
            set.map { reason in
                let mark = explanations.count > 1 && set.count > 1 ? " (\(number + 1))" : ""
                return Array(repeating: "", count: 5)
                    + [
                        reason.transaction.text, reason.kind.rawValue + mark,
                        Money(reason.effect, host.currency).description,
                    ]
            }
        }
        return [head + ["", "", ""]] + rows
    }
}
