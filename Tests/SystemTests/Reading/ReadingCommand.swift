import Operations

/// A command line that only reads.
struct ReadingCommand: Sendable {
    let arguments: [String]
    /// False for a command that reads the log or other tables alone.
    let needsReadModels: Bool
    /// The exit code on a `ReadingLedger`.
    let exitCode: Int32

    private init(arguments: [String], needsReadModels: Bool, exitCode: Int32 = 0) {
        self.arguments = arguments
        self.needsReadModels = needsReadModels
        self.exitCode = exitCode
    }

    private init(_ arguments: String..., exitCode: Int32 = 0) {
        self.init(arguments: arguments, needsReadModels: true, exitCode: exitCode)
    }

    /// Every command that reads, or can read, with what it shows.
    static func all(of ids: ReadingLedger.IDs) -> [ReadingCommand] {
        ofReadModels(ids) + ofLog(ids)
            + Lists.all.map { list in
                ReadingCommand(
                    arguments: ["list", list.name] + (ids.filters[list.name].map { [$0] } ?? []),
                    needsReadModels: !list.readModels.isEmpty,
                    // There are no payouts.
                    exitCode: list.name == Lists.paidLines.name ? 1 : 0
                )
            }
    }

    private static func ofReadModels(_ ids: ReadingLedger.IDs) -> [ReadingCommand] {
        [
            .init("batch"), .init("batch", "--agreement"), .init("batch", ids.batch),
            .init("batch", "--as-of-position", "30"), .init("totals", "--by", "day"),
            .init("totals", "--by", "merchant", "--as-of-position", "30"), .init("changes", "--batch", ids.batch),
            .init("anomalies"), .init("anomalies", ids.anomaly), .init("duplicates"), .init("day"),
            .init("day", "2016-10-20", "--merchant", "518564010126944"), .init("find", "9269"),
            .init("reader", "handpoint", "1", exitCode: 1), .init("checkout", "sha256:00", exitCode: 1),
            .init("merchants"), .init("merchants", "8846"), .init("statement", "list"),
            .init("statement", "show", ids.statement), .init("resolve", "list"), .init("resolve"),
            .init("resolve", "show", ids.doubt), .init("reconcile", "report", exitCode: 2),
            .init("reconcile", "report", "--merchant", "8846"), .init("reconcile", "exceptions"),
            .init("reconcile", "exceptions", ids.exception), .init("reconcile", "deposits"),
            .init("reconcile", "deposits", ids.line, exitCode: 1), .init("reconcile", "runs"),
            .init("reconcile", "runs", ids.run), .init("reconcile", "rules"), .init("reconcile", "close"),
            .init("reconcile", "close", "8846", "2026-03-01", "--changes"), .init("reconcile", "period", ids.period),
            .init("replay", "status"), .init("replay", "status", ids.plan, "--items"),
            .init("chart"), .init("export", "journal", "--id", ids.export, "-o", "journal.beancount"),
            .init("dispute", "show", ids.payment, exitCode: 1),
            .init("dispute", "evidence", ids.payment, "-o", "dispute.ndjson", exitCode: 1),
        ]
    }

    private static func ofLog(_ ids: ReadingLedger.IDs) -> [ReadingCommand] {
        [
            ["tail", "-n", "5"], ["show", ids.payment], ["show", ids.payment, "--as-of-position", "40"],
            ["receipt", ids.payment], ["event", "1"], ["log", "show"], ["projections"],
            ["replay", "show", ids.payment],
            ["proposals", "list"], ["verify"], ["doctor"], ["export", "log", "-o", "log.ndjson"], ["keys", "list"],
            ["migrate", "--status"],
        ].map { ReadingCommand(arguments: $0, needsReadModels: false) }
    }

    /// Commands that write with every argument, or use no ledger. Those that write with some arguments are above, too.
    static let others: Set<[String]> = [
        ["serve"], ["demo"], ["migrate"], ["intake"], ["resolve", "end"], ["statement", "import"],
        ["statement", "withdraw"], ["reconcile", "run"], ["reconcile", "assign"], ["reconcile", "note"],
        ["reconcile", "resolve"], ["reconcile", "approve"], ["reconcile", "reject"], ["reconcile", "reopen"],
        ["proposals", "approve"], ["proposals", "reject"], ["dispute", "describe"], ["dispute", "represent"],
        ["dispute", "close"],
        ["replay", "plan"], ["replay", "approve"], ["replay", "reject"], ["replay", "start"], ["replay", "pause"],
        ["replay", "resume"], ["replay", "stop"], ["rebuild"], ["catch-up"], ["import"], ["archive"],
        ["keys", "create"], ["keys", "revoke"], ["log", "adopt"],
        // These use a server, files or the private PostgreSQL.
        ["simulate", "play"], ["simulate", "gateway"], ["resolve", "query"], ["keys", "log"], ["witness"],
        ["db", "start"],
        ["db", "stop"], ["db", "status"], ["db", "psql"],
    ]
}
