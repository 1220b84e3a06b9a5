import ArgumentParser
import Canonical
import Composition
import EventLog
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
            The newest come first, and only open ones unless --status or --all is given. --json prints the answer of \
            GET /v1/exceptions, and with an id the answer of GET /v1/exceptions/{id}. `daybook list exceptions` has \
            every filter of the API.

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
            try await session.withLedger(for: .reading(Lists.exceptions.readModels + (id == nil ? [] : ["statements"])))
            { ledger in
                let tenant = try await ledger.tenant(tenantName)
                if let id { return try await show(id, of: tenant, in: ledger) }
                try await ledger.say(
                    Lists.exceptions.request(asked, at: asOfPosition.map(Moment.position)),
                    of: tenant,
                    after: cursor,
                    limit: limit,
                    asJSON: common.json,
                    nothing: "no exceptions",
                    ExceptionText.show
                )
            }
        }
    }

    private func show(_ id: String, of tenant: String, in ledger: Ledger) async throws {
        guard let known = UUID128(id), let found = try await ledger.exception(known, of: tenant, at: asOfPosition)
        else {
            throw Failure("There is no such exception.", hint: "`daybook reconcile exceptions --all` lists them.")
        }
        if common.json { return try Terminal.say(json: found) }
        ExceptionText.show([found.first])
        if let candidates = found.candidates, !candidates.isEmpty {
            Terminal.say()
            Terminal.table(
                ["candidate", "amount", "day", "rule", "rejected for"],
                candidates.map { one in
                    [
                        (one.transaction ?? one.line)?.text ?? "-", one.amount?.description ?? "-", one.day ?? "-",
                        one.rule ?? "-", one.reasons.map(\.rawValue).joined(separator: ", "),
                    ]
                },
                rightAligned: [1]
            )
        }
        if let controls = found.first.controls {
            Terminal.say()
            Terminal.table(
                ["control", "about", "stated", "computed"],
                controls.map { one in
                    [one.name, one.scope, "\(one.stated)", one.computed.map { "\($0)" } ?? "-"]
                },
                rightAligned: [2, 3]
            )
        }
        Terminal.say()
        Terminal.table(
            ["when (UTC)", "event", "actor", "status", "reason"],
            found.steps.map { step in
                [step.at.rfc3339, step.type, step.actor, step.status.rawValue, step.details?.reason ?? ""]
            }
        )
    }
}

/// Exceptions as tables.
enum ExceptionText {
    static func show(_ exceptions: [ExceptionJSON]) {
        Terminal.table(
            ["id", "class", "status", "day", "merchant", "amount", "about"],
            exceptions.map { one in
                [
                    one.id.text, one.class.rawValue, one.status.rawValue, one.day ?? "-", one.merchant ?? "-",
                    one.amount?.description ?? "-",
                    one.transaction.map { "payment \($0.text)" } ?? one.line.map { "line \($0.text)" }
                        ?? one.statement.map { "statement \($0.text)" } ?? "-",
                ]
            },
            rightAligned: [5]
        )
    }
}

extension ExceptionClass: ExpressibleByArgument {}
extension ExceptionStatus: ExpressibleByArgument {}
