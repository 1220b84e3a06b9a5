package import Canonical
package import Matching

/// The API's answers about statements and matches, collected for scoring. Answers name lines and payments by ids, the
/// truth by files and by the apps' own names.
package struct ReconciliationAnswers: Sendable {
    private var lines: [String: (file: String, number: Int64)] = [:]
    private var statements: [String: String] = [:]
    private var payments: [String: String] = [:]
    private var exceptions: [FoundException] = []
    private var matches: Set<FoundMatch> = []
    private var deposits: Set<FoundDeposit> = []

    package init() {}

    /// Adds an item of `GET /v1/transactions`.
    package mutating func add(payment: JSONValue) {
        guard let id = payment["id"]?.string else { return }
        payments[id] = payment["reference"]?.string
    }

    /// Adds a statement.
    ///
    /// - Parameter file: The name under which it was imported.
    package mutating func add(statement id: String, of file: String) { statements[id] = file }

    /// Adds an item of `GET /v1/statements/{id}/lines`. A line that is in several files has the name of the first.
    ///
    /// - Parameter file: The name under which the file was imported.
    package mutating func add(line: JSONValue, of file: String) {
        guard let id = line["id"]?.string, let number = line["number"]?.int64, lines[id] == nil else { return }
        lines[id] = (file, number)
    }

    /// Adds an item of `GET /v1/exceptions`, after statements, lines and payments. Exceptions are scored that are open, or
    /// were cleared by what their line reported: the outcome of a payment in doubt, or a chargeback.
    package mutating func add(exception: JSONValue) {
        guard let name = exception["class"]?.string,
            let status = exception["status"]?.string.flatMap(ExceptionStatus.init)
        else { return }
        let isRecorded = Self.recorded.contains { $0.rawValue == name } && status == .cleared
        guard status.isOpen || isRecorded else { return }
        let line = exception["line"]?.string
        let place = line.flatMap { lines[$0] }
        exceptions.append(
            FoundException(
                exceptionClass: name,
                file: place?.file ?? line ?? exception["statement"]?.string.map { statements[$0] ?? $0 },
                number: place?.number,
                payment: exception["transaction"]?.string.map { payments[$0] ?? $0 },
                amount: exception["amount"]?["value"]?.int64,
                currency: exception["amount"]?["currency"]?.string
            )
        )
    }

    private static let recorded = [ExceptionClass.inDoubtResolved, .chargebackNotRecorded]

    /// Adds an item of `GET /v1/matches`, after lines and payments.
    package mutating func add(match: JSONValue) {
        guard let line = match["line"]?.string, let payment = match["transaction"]?.string else { return }
        let place = place(of: line)
        matches.insert(FoundMatch(file: place.file, number: place.number, payment: payments[payment] ?? payment))
    }

    /// Adds an answer of `GET /v1/deposits/{id}`, after the lines.
    package mutating func add(deposit: JSONValue) {
        func places(_ member: String) -> [(file: String, number: Int64)] {
            (deposit[member]?.array ?? []).compactMap { $0["line"]?.string }.map(place)
        }
        for payout in places("payouts") {
            for deposit in places("deposits") { deposits.insert(FoundDeposit(payout: payout, deposit: deposit)) }
        }
    }

    /// The place of a line; an unknown line is named by its id.
    private func place(of line: String) -> (file: String, number: Int64) { lines[line] ?? (line, 0) }

    /// - Parameter ignored: Classes that are neither expected nor counted as errors.
    package func score(_ truth: TruthFile, ignoring ignored: Set<ExceptionClass> = []) -> ReconciliationScore {
        ReconciliationScore(truth, found: exceptions, matches: matches, deposits: deposits, ignoring: ignored)
    }
}
