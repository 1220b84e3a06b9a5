import ArgumentParser
import Canonical
import Foundation
import Intake
import Ledger
import Operations
import Payments
import Projections
import Replay

struct ResolveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "Work on payments with an unknown outcome.",
        discussion: """
            `daybook serve` queries gateways automatically, on the schedule of docs/replay.md. These commands list the
            remaining doubts, query gateways at once, and record an outcome that an operator has evidence of.

            EXAMPLES
              daybook resolve list --needs-person
              daybook resolve show 0198c5f2-...
              daybook resolve ask 0198c5f2-... --url http://127.0.0.1:8080 --key dbk_...
              daybook resolve end 0198c5f2-... --as declined --evidence 'the portal: declined, 51' --reason 'terminal is lost'
            """,
        subcommands: [
            ResolveListCommand.self, ResolveShowCommand.self, ResolveAskCommand.self, ResolveEndCommand.self,
        ],
        defaultSubcommand: ResolveListCommand.self
    )
}

/// The filters of doubts.
struct DoubtOptions: ParsableArguments {
    @Option(help: "Only payments reported by this vendor's SDK.")
    var vendor: String?

    @Option(help: "Only this merchant.")
    var merchant: String?

    @Option(help: "Only this terminal.")
    var terminal: String?

    @Option(help: "Only payments in this currency.")
    var currency: String?

    @Option(help: "Only payments at least this old: 90s, 10m, 2h, 3d; without a unit, seconds.")
    var olderThan: String?

    @Flag(inversion: .prefixedNo, help: "Only payments that need review, or only the others.")
    var needsPerson: Bool?

    func filter() throws -> DoubtWorklist.Filter {
        var filter = DoubtWorklist.Filter()
        filter.payments.vendor = try vendor.map(Vendor.init(named:))
        filter.payments.merchant = merchant
        filter.payments.terminal = terminal
        filter.payments.currency = currency
        filter.olderThanSeconds = try olderThan.map(Self.seconds)
        filter.needsPerson = needsPerson
        return filter
    }

    /// The filters as the query of a request.
    func query() throws -> String {
        var parameters: [(String, String)] = []
        for (name, value) in [
            ("vendor", vendor), ("merchant", merchant), ("terminal", terminal), ("currency", currency),
            ("needs_person", needsPerson.map { "\($0)" }),
            ("older_than", try olderThan.map { "\(try Self.seconds($0))" }),
        ] {
            if let value { parameters.append((name, value)) }
        }
        return parameters.map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&")
    }

    static func seconds(_ text: String) throws -> Int64 {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        if let seconds = Int64(text), (0...3_155_760_000).contains(seconds) { return seconds }
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int64(text.dropLast()),
            (0...1_000_000).contains(number)
        else { throw Failure.usage("--older-than must be a number with the unit s, m, h or d: 90s, 10m, 2h, 3d.") }
        return number * unit
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }
}

struct ResolveListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List payments with an unknown outcome, and approvals that must be reversed.",
        discussion: """
            --json prints the answer of GET /v1/doubts. The gateways are read from the same configuration as by
            `daybook serve`.

            EXAMPLES
              daybook resolve list
              daybook resolve list --needs-person --older-than 2h --sort value
              daybook resolve list --merchant 8846 --json | jq '.items[].attention'
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var doubts: DoubtOptions

    @Option(help: "The order: age (the oldest first) or value (the highest first).")
    var sort = "age"

    @Option(help: "The maximum number of items, 1 to 1000.")
    var limit = 100

    @Option(help: "The cursor to continue from: `next` of an earlier answer.")
    var cursor: String?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
        guard DoubtQuery.Order(rawValue: sort) != nil else { throw ValidationError("--sort must be age or value.") }
    }

    func run() async throws {
        let filter = try doubts.filter()
        let order = DoubtQuery.Order(rawValue: sort) ?? .age
        try await Session.open(common) { session in
            let gateways = try session.settings.gateways()
            try await session.withLedger(follows: true, gateways: gateways, callsGateways: false) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                try await ledger.catchUp()
                let place: DoubtQuery.Place?
                do {
                    place = try cursor.map { try Cursor(given: $0).doubt(in: order) }
                } catch is Refusal {
                    throw Failure.usage("--cursor is not a cursor of this list in this order.")
                }
                let page = try await ledger.worklist.page(
                    of: tenant,
                    matching: filter,
                    sortedBy: order,
                    after: place,
                    limit: limit
                )
                let totals: [ValueAtRisk]
                do {
                    totals = try await ledger.worklist.risk(of: tenant, matching: filter)
                } catch TotalsError.overflow {
                    throw Failure(
                        "The amount at stake does not fit 64 bits.",
                        hint: "Select one merchant with --merchant."
                    )
                }
                let next = page.next.map { Cursor($0, in: order) }
                let now = ledger.clock.now()
                if common.json {
                    var object: JSONObject = [
                        "totals": .array(totals.map(\.json)),
                        "items": .array(page.items.map { .object($0.json(at: now)) }),
                    ]
                    object.set("next", next?.text)
                    Terminal.say(object.saying(more: next != nil))
                } else {
                    DoubtText.show(
                        page.items.map { .object($0.json(at: now)) },
                        isAll: next == nil,
                        isFiltered: try !doubts.query().isEmpty
                    )
                    for one in totals { Terminal.note("\(one.count) in doubt: \(Money(one.value, one.currency))") }
                }
                if let next { Terminal.note(next.hint) }
            }
        }
    }
}

struct ResolveShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the doubt of one payment, and the calls to its gateways.",
        discussion: """
            --json prints the answer of GET /v1/doubts/{id}. An earlier state is as recorded then, judged by the rules of
            that day.

            EXAMPLES
              daybook resolve show 0198c5f2-...
              daybook resolve show 0198c5f2-... --as-of 2026-03-01T12:00:00Z
              daybook resolve show 0198c5f2-... --json | jq '.calls'
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of the payment.")
    var id: String

    @Option(help: "The state as recorded at this time (RFC 3339).")
    var asOf: String?

    @Option(help: "The state as of this position of the log.")
    var asOfPosition: Int64?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func run() async throws {
        guard let payment = UUID128(id) else { throw DoubtText.unknown }
        let moment = try Moment(time: asOf, position: asOfPosition)
        try await Session.open(common) { session in
            let gateways = try session.settings.gateways()
            try await session.withLedger(follows: true, gateways: gateways, callsGateways: false) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                try await ledger.catchUp()
                guard let json = try await ledger.doubt(payment, of: tenant, at: moment) else {
                    throw DoubtText.unknown
                }
                common.json ? Terminal.say(json) : DoubtText.show(one: json)
            }
        }
    }
}

struct ResolveAskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ask",
        abstract: "Query the gateways now, through the server.",
        discussion: """
            The query ignores the schedule, and includes payments that need review. A gateway's answer that it has no such
            payment still counts only after wait.unposted. With --json each queried payment is one line, the answer of
            POST /v1/doubts/{id}/ask.

            EXAMPLES
              daybook resolve ask 0198c5f2-... --key dbk_...
              DAYBOOK_KEY=dbk_... daybook resolve ask --all --older-than 1h
              DAYBOOK_KEY=dbk_... daybook resolve ask --all --merchant 8846 --url https://ledger.example
            """
    )

    @Argument(help: "The ids of the payments.")
    var ids: [String] = []

    @Flag(help: "Query all matching payments, the oldest first.")
    var all = false

    @OptionGroup var doubts: DoubtOptions

    @Option(help: "The number of concurrent queries, 1 to 16.")
    var concurrent = 4

    @Option(help: "The address of the server, such as http://127.0.0.1:8080.")
    var url = "http://127.0.0.1:8080"

    @Option(help: "An API key with the scopes read and reconcile. Also DAYBOOK_KEY.")
    var key: String?

    @Flag(help: "Print one JSON document per payment instead of text.")
    var json = false

    func validate() throws {
        guard all != !ids.isEmpty else { throw ValidationError("Name the payments, or give --all.") }
        guard (1...16).contains(concurrent) else { throw ValidationError("--concurrent must be 1 to 16.") }
    }

    func run() async throws {
        guard let key = key ?? ProcessInfo.processInfo.environment["DAYBOOK_KEY"], !key.isEmpty else {
            throw Failure.usage("--key or DAYBOOK_KEY must be an API key with the scopes read and reconcile.")
        }
        let client = APIClient(base: url, key: key)
        do {
            var payments = ids
            for id in payments where UUID128(id) == nil { throw Failure.usage("\(id) is not the id of a payment.") }
            if all {
                let query = try doubts.query()
                try await client.pages("/v1/doubts" + (query.isEmpty ? "" : "?\(query)")) { item in
                    if let id = item["transaction"]?.string { payments.append(id) }
                }
            }
            try await ask(payments, client)
        } catch let refused as APIClient.Refused {
            throw Failure(refused)
        } catch let unreachable as APIClient.Unreachable {
            throw Failure(unreachable, at: url)
        }
    }

    private func ask(_ payments: [String], _ client: APIClient) async throws {
        var results: [String: Int] = [:]
        var ended = 0
        try await withThrowingTaskGroup(of: (String, JSONValue?).self) { group in
            var rest = payments[...]
            func begin(_ id: String) {
                group.addTask {
                    do {
                        return (id, try await client.post("/v1/doubts/\(id)/ask", [], as: "application/json"))
                    } catch let refused as APIClient.Refused where refused.status == 404 {
                        return (id, nil)
                    }
                }
            }
            for _ in 0..<concurrent { if let id = rest.popFirst() { begin(id) } }
            var done = 0
            for try await (id, answer) in group {
                done += 1
                let result = answer?["result"]?.string ?? "no-such-payment"
                results[result, default: 0] += 1
                if answer?["doubt"]?["isOpen"] == false { ended += 1 }
                say(id, result, answer, "\(done)/\(payments.count)")
                if let id = rest.popFirst() { begin(id) }
            }
        }
        guard !json else { return }
        if payments.isEmpty { return Terminal.say(DoubtText.nothing(isFiltered: try !doubts.query().isEmpty)) }
        let counts = results.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        Terminal.say("\(counts); \(ended) resolved")
    }

    private func say(_ id: String, _ result: String, _ answer: JSONValue?, _ progress: String) {
        if json {
            let line: JSONValue = answer ?? ["transaction": .string(id), "result": .string(result)]
            return Terminal.say(line)
        }
        let status = answer?["doubt"]?["status"]?.string ?? "-"
        let reported = answer?["doubt"]?["lastAsk"]?["answer"]?.string ?? "-"
        Terminal.say("\(progress)  \(id)  \(result)  answer: \(reported)  status: \(status)")
    }
}

struct ResolveEndCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end",
        abstract: "Record the outcome of a payment, with an operator's evidence.",
        discussion: """
            For payments that no gateway can be queried about, or that answers do not resolve. The outcome is recorded
            permanently with your name. Later contradicting evidence is recorded and raises an anomaly. not-posted: the
            payment never reached the host that decides. reversed: it took effect, and was reversed since.

            EXAMPLES
              daybook resolve end 0198c5f2-... --as declined --evidence 'the portal: declined, 51' --reason 'terminal is lost'
              daybook resolve end 0198c5f2-... --as approved --amount 12.50 --currency USD \\
                --evidence 'statement of 3 March, line 14' --reason 'the processor paid it'
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of the payment.")
    var id: String

    @Option(name: .customLong("as"), help: "The outcome: approved, declined, not-posted or reversed.")
    var outcome: String

    @Option(help: "The evidence and its source, which are recorded.")
    var evidence: String

    @Option(help: "The reason, which is recorded.")
    var reason: String

    @Option(help: "The approved amount, if it differs from the requested one: 12.50.")
    var amount: String?

    @Option(help: "The currency of --amount.")
    var currency: String?

    @Option(help: "The expected version of the payment's stream.")
    var expectedVersion: Int64?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func run() async throws {
        guard let payment = UUID128(id) else { throw DoubtText.unknown }
        let ending = try self.ending()
        try await Session.open(common) { session in
            try await session.withLedger(follows: true) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                do {
                    _ = try await ledger.doubtCommands.end(
                        payment,
                        ending,
                        version: expectedVersion,
                        idempotencyKey: nil,
                        sender: Sender(
                            tenant: tenant,
                            actor: "cli:\(NSUserName())",
                            correlation: ledger.ids.next().text,
                            holder: NSUserName()
                        )
                    )
                } catch let refusal as DoubtCommands.Refusal {
                    throw Failure(refusal)
                } catch let problem as IntakeProblem {
                    throw Failure(problem.detail)
                }
                try await ledger.catchUp()
                guard let found = try await ledger.worklist.item(payment, of: tenant) else { throw DoubtText.unknown }
                let json = found.detail(at: ledger.clock.now())
                common.json ? Terminal.say(json) : DoubtText.show(one: json)
            }
        }
    }

    private func ending() throws -> DoubtEnding {
        guard let outcome = DoubtEnding.Outcome(rawValue: outcome) else {
            throw Failure.usage("--as must be approved, declined, not-posted or reversed.")
        }
        for (name, text) in [("--evidence", evidence), ("--reason", reason)] {
            _ = try Failure.checked(reason: text, option: name)
        }
        var money: Money?
        switch (amount, currency) {
        case (nil, nil): break
        case (let amount?, let code?):
            guard let known = Currency(alpha: code), let read = try? Money.parse(decimal: amount, currency: known),
                read.value > 0
            else {
                throw Failure.usage("--amount must be above zero, with the decimals of its --currency: 12.50 USD.")
            }
            money = read
        default: throw Failure.usage("--amount and --currency need each other.")
        }
        return DoubtEnding(outcome, evidence: evidence, reason: reason, amount: money)
    }
}

/// Doubts as text.
enum DoubtText {
    static let unknown = Failure("There is no such payment.", hint: "`daybook resolve list` lists what is in doubt.")

    static func nothing(isFiltered: Bool) -> String {
        isFiltered ? "no matching payment is in doubt" : "nothing is in doubt"
    }

    static func show(_ items: [JSONValue], isAll: Bool, isFiltered: Bool) {
        if items.isEmpty {
            return Terminal.say(isAll ? nothing(isFiltered: isFiltered) : "nothing on this page; the list continues")
        }
        Terminal.table(
            [
                "transaction", "age", "at stake", "doubt", "code", "gateways", "queries", "answer", "next (UTC)",
                "review",
            ],
            items.map { item in
                [
                    item["transaction"]?.string ?? "-", InDoubtCommand.age(item["ageSeconds"]?.int64 ?? 0),
                    money(item["atRisk"]),
                    item["doubt"]?["what"]?.string ?? (item["reversal"] == nil ? "-" : "reversal"),
                    item["doubt"]?["code"]?.string ?? "-", names(item["gateways"]),
                    "\(item["asked"]?.int64 ?? 0)", item["lastAsk"]?["answer"]?.string ?? "-",
                    item["nextAt"]?.string ?? "-", item["attention"]?["rule"]?.string ?? "-",
                ]
            },
            rightAligned: [1, 2, 6]
        )
    }

    static func show(one item: JSONValue) {
        let attention = item["attention"]
        var rows: [(String, String?)] = [
            ("transaction", item["transaction"]?.string), ("status", item["status"]?.string),
            ("at stake", item["atRisk"].map { money($0) }), ("merchant", item["merchant"]?.string),
            ("terminal", item["terminal"]?.string), ("since", item["occurredAt"]?.string),
        ]
        if item["isOpen"] == false { rows.append(("in doubt", "nothing")) }
        if let doubt = item["doubt"] {
            let reported = [doubt["code"]?.string, doubt["message"]?.string].compactMap(\.self).joined(separator: " ")
            rows.append(("in doubt", doubt["what"]?.string))
            rows.append(
                ("reported by", "\(doubt["event"]?.string ?? "") at \(doubt["position"]?.int64 ?? 0) \(reported)")
            )
            rows.append(("gateways", names(item["gateways"])))
        }
        if let reversal = item["reversal"] {
            rows.append(("reverse since", reversal["dueAt"]?.string))
            rows.append(("sent", "\(reversal["sent"]?.int64 ?? 0) times"))
            rows.append(("automatic", reversal["isSent"] == true ? "yes" : "no"))
        }
        rows.append(("next", item["nextAt"]?.string))
        rows.append(("review", attention.map { "\($0["rule"]?.string ?? ""): \($0["explanation"]?.string ?? "")" }))
        for case (let name, let value?) in rows {
            Terminal.say(name.padding(toLength: 16, withPad: " ", startingAt: 0) + value)
        }
        let calls = item["calls"]?.array ?? []
        guard !calls.isEmpty else { return }
        Terminal.table(
            ["sent (UTC)", "gateway", "operation", "answer", "code", "message"],
            calls.map { call in
                [
                    call["sentAt"]?.string ?? "-", call["gateway"]?.string ?? "-", call["operation"]?.string ?? "-",
                    call["verdict"]?.string ?? call["failure"]?.string ?? (call["event"] == nil ? "under way" : "-"),
                    call["code"]?.string ?? "-", call["message"]?.string ?? "-",
                ]
            }
        )
    }

    private static func names(_ value: JSONValue?) -> String {
        let names = (value?.array ?? []).compactMap(\.string)
        return names.isEmpty ? "-" : names.joined(separator: ",")
    }

    private static func money(_ value: JSONValue?) -> String {
        guard let minor = value?["value"]?.int64, let currency = value?["currency"]?.string else { return "-" }
        return MoneyText(minor, currency).text
    }
}

extension Failure {
    /// Why a doubt was not ended.
    init(_ refusal: DoubtCommands.Refusal) {
        switch refusal {
        case .noSuchPayment: self = DoubtText.unknown
        case .amountMissing: self.init(Operations.Refusal(refusal), hint: "Give --amount and --currency.")
        case .nothingInDoubt, .callUnderWay, .amountImpossible, .endImpossible: self.init(Operations.Refusal(refusal))
        }
    }
}
