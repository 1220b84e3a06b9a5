package import Canonical
package import Matching

/// What a ledger's API answers about statements and what they are matched with, put together until it can be scored:
/// answers name lines and payments by ids, the truth by files and by the apps' own names.
package struct ReconciliationAnswers: Sendable {
    private var lines: [String: (file: String, number: Int64)] = [:]
    private var payments: [String: String] = [:]
    private var exceptions: [FoundException] = []
    private var matches: Set<FoundMatch> = []
    private var deposits: Set<FoundDeposit> = []

    package init() {}

    /// Takes in an item of `GET /v1/transactions`.
    package mutating func add(payment: JSONValue) {
        guard let id = payment["id"]?.string else { return }
        payments[id] = payment["reference"]?.string
    }

    /// Takes in an item of `GET /v1/statements/{id}/lines`. A line that stands in several files is named by the first.
    ///
    /// - Parameter file: What the file was called when it was imported.
    package mutating func add(line: JSONValue, of file: String) {
        guard let id = line["id"]?.string, let number = line["number"]?.int64, lines[id] == nil else { return }
        lines[id] = (file, number)
    }

    /// Takes in an item of `GET /v1/exceptions`, after lines and payments. What nobody can know any more passes: an exception
    /// is meant that is open, or about a payment that was in doubt until its line has shown the outcome.
    package mutating func add(exception: JSONValue) {
        guard let name = exception["class"]?.string,
            let status = exception["status"]?.string.flatMap(ExceptionStatus.init)
        else { return }
        let isDoubtEnded = name == ExceptionClass.inDoubtResolved.rawValue && status == .cleared
        guard status.isOpen || isDoubtEnded else { return }
        let line = exception["line"]?.string
        let place = line.flatMap { lines[$0] }
        exceptions.append(
            FoundException(
                exceptionClass: name,
                file: place?.file ?? line,
                number: place?.number,
                payment: exception["transaction"]?.string.map { payments[$0] ?? $0 },
                amount: exception["amount"]?["value"]?.int64,
                currency: exception["amount"]?["currency"]?.string
            )
        )
    }

    /// Takes in an item of `GET /v1/matches`, after lines and payments.
    package mutating func add(match: JSONValue) {
        guard let line = match["line"]?.string, let payment = match["transaction"]?.string else { return }
        let place = place(of: line)
        matches.insert(FoundMatch(file: place.file, number: place.number, payment: payments[payment] ?? payment))
    }

    /// Takes in an answer of `GET /v1/deposits/{id}`, after the lines.
    package mutating func add(deposit: JSONValue) {
        func places(_ member: String) -> [(file: String, number: Int64)] {
            (deposit[member]?.array ?? []).compactMap { $0["line"]?.string }.map(place)
        }
        for payout in places("payouts") {
            for deposit in places("deposits") { deposits.insert(FoundDeposit(payout: payout, deposit: deposit)) }
        }
    }

    /// What is no line of any file is called by its id.
    private func place(of line: String) -> (file: String, number: Int64) { lines[line] ?? (line, 0) }

    /// - Parameter ignored: Classes that are neither wanted nor held against the ledger.
    package func score(_ truth: TruthFile, ignoring ignored: Set<ExceptionClass> = []) -> ReconciliationScore {
        ReconciliationScore(truth, found: exceptions, matches: matches, deposits: deposits, ignoring: ignored)
    }
}
