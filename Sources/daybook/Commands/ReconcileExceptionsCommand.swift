import ArgumentParser
import Canonical
import EventLog
import Ledger
import Matching
import Operations
import Payments
import Projections
import Reconciliation

struct ReconcileExceptionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exceptions",
        abstract: "List exceptions, or show one with its history.",
        discussion: """
            The newest come first, and only open ones unless --status or --all is given. --json prints the answer of
            GET /v1/exceptions, and with an id the answer of GET /v1/exceptions/{id}. `daybook list exceptions` has every
            filter of the API.

            EXAMPLES
              daybook reconcile exceptions
              daybook reconcile exceptions --class amount-differs --merchant 8846
              daybook reconcile exceptions --class unmatched-deposit --unattributed
              daybook reconcile exceptions 5d6f2a10-... --json
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of one exception.")
    var id: String?

    @Option(name: .customLong("class"), help: "Only exceptions of this class.")
    var exceptionClass: ExceptionClass?

    @Option(help: "Only with this status: open, assigned, proposed, resolved or cleared.")
    var status: ExceptionStatus?

    @Option(help: "Only exceptions assigned to this operator.")
    var assignee: String?

    @Option(help: "Only this merchant.")
    var merchant: String?

    @Flag(help: "Only exceptions without a known merchant.")
    var unattributed = false

    @Flag(help: "Also resolved and cleared exceptions.")
    var all = false

    @Option(help: "The maximum number of items, 1 to 1000.")
    var limit = 100

    @Option(help: "The cursor to continue from: `next` of an earlier answer.")
    var cursor: String?

    @Option(help: "The state as of this position of the log.")
    var asOfPosition: Int64?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
        guard asOfPosition ?? 0 >= 0 else { throw ValidationError("--as-of-position must be 0 or more.") }
    }

    func run() async throws {
        var filter = ExceptionFilter()
        filter.exceptionClass = exceptionClass
        filter.status = status
        filter.isOpen = status == nil && !all ? true : nil
        filter.assignee = assignee
        filter.merchant = merchant
        filter.isUnattributed = unattributed ? true : nil
        let asked = filter
        try await Session.open(common) { session in
            // The read model may be behind when no server runs: this command follows the log itself.
            try await session.withLedger(follows: true) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                try await ledger.catchUp()
                if let id { return try await show(id, of: tenant, in: ledger) }
                let start = try cursor.map { try Cursor(given: $0) }
                // A position after the end of the log counts as the end.
                let head = try await ledger.reader.head()
                let position = asOfPosition.map { min($0, head) }
                let found = try await ledger.page(
                    .exceptions(asked, at: position),
                    of: tenant,
                    after: start,
                    limit: limit
                )
                let items = try found.items.map { try JSONValue(parsing: $0.utf8) }
                if common.json {
                    var page: JSONObject = ["items": .array(items)]
                    if let position { page["asOfPosition"] = .number(.init(position)) }
                    page.set("next", found.next?.text)
                    return Terminal.say(page.saying(more: found.next != nil))
                }
                if items.isEmpty { return Terminal.say("no exceptions") }
                ExceptionText.show(items)
                if let next = found.next { Terminal.note(next.hint) }
            }
        }
    }

    private func show(_ id: String, of tenant: String, in ledger: Ledger) async throws {
        guard let known = UUID128(id), let found = try await ledger.exception(known, of: tenant, at: asOfPosition)
        else {
            throw Failure("There is no such exception.", hint: "`daybook reconcile exceptions --all` lists them.")
        }
        if common.json { return Terminal.say(found) }
        ExceptionText.show([found])
        let candidates = found["candidates"]?.array ?? []
        if !candidates.isEmpty {
            Terminal.say()
            Terminal.table(
                ["candidate", "amount", "day", "rule", "rejected for"],
                candidates.map { one in
                    [
                        one["transaction"]?.string ?? one["line"]?.string ?? "-", ExceptionText.money(one["amount"]),
                        one["day"]?.string ?? "-", one["rule"]?.string ?? "-",
                        (one["reasons"]?.array ?? []).compactMap(\.string).joined(separator: ", "),
                    ]
                },
                rightAligned: [1]
            )
        }
        Terminal.say()
        Terminal.table(
            ["when (UTC)", "event", "actor", "status", "reason"],
            (found["steps"]?.array ?? []).map { step in
                [
                    step["at"]?.string ?? "", step["type"]?.string ?? "", step["actor"]?.string ?? "",
                    step["status"]?.string ?? "", step["details"]?["reason"]?.string ?? "",
                ]
            }
        )
    }
}

/// Exceptions as tables.
enum ExceptionText {
    static func show(_ items: [JSONValue]) {
        Terminal.table(
            ["id", "class", "status", "day", "merchant", "unexplained", "about"],
            items.map { item in
                [
                    item["id"]?.string ?? "", item["class"]?.string ?? "", item["status"]?.string ?? "",
                    item["day"]?.string ?? "-", item["merchant"]?.string ?? "-", money(item["amount"]),
                    item["transaction"]?.string.map { "payment \($0)" } ?? item["line"]?.string.map { "line \($0)" }
                        ?? "-",
                ]
            },
            rightAligned: [5]
        )
    }

    static func money(_ json: JSONValue?) -> String {
        guard let value = json?["value"]?.int64,
            let currency = json?["currency"]?.string.flatMap({ Currency(alpha: $0) })
        else { return "-" }
        return Money(value, currency).description
    }
}

extension ExceptionClass: ExpressibleByArgument {}
extension ExceptionStatus: ExpressibleByArgument {}

struct ReconcileDepositsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deposits",
        abstract: "List payouts and transfers, or prove one to the cent.",
        discussion: """
            With an id, shows the transfer, the payouts that explain it, and the lines paid by each payout, in buckets that
            add up to it. Exit code 2: it does not add up, or a part of it is unknown. --json prints the answer of
            GET /v1/deposits, and with an id the answer of GET /v1/deposits/{id}. `daybook list paid-lines payout=ID` lists
            the lines of a payout.

            EXAMPLES
              daybook reconcile deposits --state unmatched
              daybook reconcile deposits 7e0b0cde-...
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of the line of a payout or transfer.")
    var id: String?

    @Option(help: "Only this side: processor or bank.")
    var side: DepositCoverage.Side?

    @Option(help: "Only this state: matched, unmatched, awaited, left-out or no-transfer.")
    var state: DepositCoverage.State?

    @Option(help: "The maximum number of items, 1 to 1000.")
    var limit = 100

    @Option(help: "The cursor to continue from: `next` of an earlier answer.")
    var cursor: String?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
    }

    func run() async throws {
        var filter = TransferFilter()
        filter.side = side
        filter.state = state
        let asked = filter
        let isClean = try await Session.open(common) { session in
            try await session.withLedger(follows: true) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                try await ledger.catchUp()
                if let id { return try await prove(id, of: tenant, in: ledger) }
                let start = try cursor.map { try Cursor(given: $0) }
                let found = try await ledger.page(.deposits(asked), of: tenant, after: start, limit: limit)
                let items = try found.items.map { try JSONValue(parsing: $0.utf8) }
                if common.json {
                    var page: JSONObject = ["items": .array(items)]
                    page.set("next", found.next?.text)
                    Terminal.say(page.saying(more: found.next != nil))
                } else if items.isEmpty {
                    Terminal.say("no payouts and no transfers")
                } else {
                    Self.show(items)
                    if let next = found.next { Terminal.note(next.hint) }
                }
                return true
            }
        }
        if !isClean { throw ExitCode(2) }
    }

    private func prove(_ id: String, of tenant: String, in ledger: Ledger) async throws -> Bool {
        guard let line = UUID128(id), let proof = try await ledger.deposits.proof(of: line, tenant: tenant) else {
            throw Failure("There is no such payout or deposit.", hint: "`daybook reconcile deposits` lists them.")
        }
        let json = proof.json
        if common.json {
            Terminal.say(json)
            return proof.foots
        }
        Self.show(proof.deposits.map(\.json) + proof.payouts.map(\.json))
        Terminal.say()
        Terminal.table(
            ["", "amount"],
            [("deposited", "deposited"), ("paid", "paid"), ("difference", "difference")].map { label, name in
                [label, ExceptionText.money(json[name])]
            },
            rightAligned: [1]
        )
        for settlement in json["settlements"]?.array ?? [] {
            Terminal.say()
            Terminal.table(
                [
                    "paid by \(settlement["basis"]?.string ?? "") \(settlement["reference"]?.string ?? "")", "lines",
                    "amount",
                ],
                (settlement["buckets"]?.array ?? []).map { bucket in
                    [
                        bucket["bucket"]?.string ?? "", bucket["count"]?.int64.map { String($0) } ?? "",
                        ExceptionText.money(bucket["amount"]),
                    ]
                } + [
                    ["sum", "", ExceptionText.money(settlement["sum"])],
                    ["difference to the payout", "", ExceptionText.money(settlement["difference"])],
                ],
                rightAligned: [1, 2]
            )
        }
        return proof.foots
    }

    private static func show(_ items: [JSONValue]) {
        Terminal.table(
            ["line", "type", "state", "day", "reference", "amount"],
            items.map { item in
                [
                    item["line"]?.string ?? "", item["type"]?.string ?? "", item["state"]?.string ?? "-",
                    item["day"]?.string ?? "-", item["reference"]?.string ?? "-", ExceptionText.money(item["amount"]),
                ]
            },
            rightAligned: [5]
        )
    }
}

extension DepositCoverage.Side: ExpressibleByArgument {}
extension DepositCoverage.State: ExpressibleByArgument {}
