import ArgumentParser
import Canonical
import EventLog
import Ledger
import Matching
import Operations
import Payments
import Projections

struct ReconcileExceptionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exceptions",
        abstract: "List what nothing explains, or show one with everything that happened to it.",
        discussion: """
            Raised last first; only open ones unless --status or --all says otherwise. --json prints what GET /v1/exceptions
            answers, and with an id what GET /v1/exceptions/{id} does. All of them, with every filter of the API:
            daybook list exceptions.

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

    @Option(name: .customLong("class"), help: "Only of this class.")
    var exceptionClass: ExceptionClass?

    @Option(help: "open, assigned, proposed, resolved or cleared.")
    var status: ExceptionStatus?

    @Option(help: "Only what this person is to look into.")
    var assignee: String?

    @Option(help: "Only this merchant's.")
    var merchant: String?

    @Flag(help: "Only those that belong to no merchant, as far as anything tells.")
    var unattributed = false

    @Flag(help: "Also those that have come to their end.")
    var all = false

    @Option(help: "How many, 1 to 1000.")
    var limit = 100

    @Option(help: "Where an earlier answer ended: its `next`.")
    var cursor: String?

    @Option(help: "As it was when everything up to this position was in.")
    var asOfPosition: Int64?

    @Option(name: .customLong("tenant"), help: "The tenant; may be left out when there is one.")
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
                // What is still to come stands for the end of the log.
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
                ["came near", "amount", "day", "by", "but"],
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
            ["when (UTC)", "what", "who", "then", "why"],
            (found["steps"]?.array ?? []).map { step in
                [
                    step["at"]?.string ?? "", step["type"]?.string ?? "", step["actor"]?.string ?? "",
                    step["status"]?.string ?? "", step["details"]?["reason"]?.string ?? "",
                ]
            }
        )
    }
}

/// Exceptions for people.
enum ExceptionText {
    static func show(_ items: [JSONValue]) {
        Terminal.table(
            ["id", "class", "status", "day", "merchant", "unexplained", "about"],
            items.map { item in
                [
                    item["id"]?.string ?? "", item["class"]?.string ?? "", item["status"]?.string ?? "",
                    item["day"]?.string ?? "-", item["merchant"]?.string ?? "nobody's", money(item["amount"]),
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
        abstract: "List payouts and lines of banks, or prove one to the cent.",
        discussion: """
            With an id: what came to the bank, the payouts that explain it, and what each payout pays, in buckets that add up
            to it. Exit code 2: it does not add up, or nothing is known of a part of it. --json prints what GET /v1/deposits
            answers, and with an id what GET /v1/deposits/{id} does. The lines of a payout: daybook list paid-lines payout=ID.

            EXAMPLES
              daybook reconcile deposits --state unmatched
              daybook reconcile deposits 7e0b0cde-...
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of a payout's line, or of a bank's.")
    var id: String?

    @Option(help: "processor or bank.")
    var side: DepositCoverage.Side?

    @Option(help: "matched, unmatched, awaited, left-out or no-transfer.")
    var state: DepositCoverage.State?

    @Option(help: "How many, 1 to 1000.")
    var limit = 100

    @Option(help: "Where an earlier answer ended: its `next`.")
    var cursor: String?

    @Option(name: .customLong("tenant"), help: "The tenant; may be left out when there is one.")
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
                    Terminal.say("no payouts and no lines of banks")
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
            [("came to the bank", "deposited"), ("was paid", "paid"), ("difference", "difference")].map { label, name in
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
                    ["what they come to", "", ExceptionText.money(settlement["sum"])],
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
