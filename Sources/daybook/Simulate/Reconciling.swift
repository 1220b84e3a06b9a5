import Canonical
import Foundation
import Matching
import Operations
import Reconciliation
import Simulator
import Statements

/// Imports the statements of a simulated world through the API of a ledger, reconciles them there, and reads matches
/// and exceptions.
struct Reconciling: Sendable {
    /// A file to send.
    struct File: Sendable {
        var name: String
        var bytes: [UInt8]
    }

    let client: APIClient

    /// The files of a directory, in the order of their names, without hidden ones.
    ///
    /// - Throws: `Failure` when there are none, or they cannot be read.
    static func files(in directory: String) throws -> [File] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: directory)
                .filter { !$0.hasPrefix(".") }.sorted()
        } catch {
            throw Failure("The directory \(directory) cannot be read.", hint: "--statements writes it.")
        }
        guard !names.isEmpty else { throw Failure("There is no statement in \(directory).") }
        return try names.map { name in
            do {
                return File(name: name, bytes: [UInt8](try Data(contentsOf: URL(filePath: "\(directory)/\(name)"))))
            } catch {
                throw Failure("The file \(directory)/\(name) cannot be read.")
            }
        }
    }

    /// - Parameter note: Called with lines about progress.
    /// - Returns: The ledger's answer for each file.
    /// - Throws: `Failure`.
    func `import`(_ files: [File], note: (String) -> Void = { _ in }) async throws -> [StatementJSON] {
        try await answered {
            var answers: [StatementJSON] = []
            for (index, file) in files.enumerated() {
                note("importing \(file.name) (\(index + 1) of \(files.count))")
                var query = URLComponents()
                query.queryItems = [URLQueryItem(name: "name", value: file.name)]
                let path = "/v1/statements?\(query.percentEncodedQuery ?? "")"
                let type = StatementFormat.recognise(file.bytes)?.mediaType ?? "application/octet-stream"
                let answer = try await client.patiently { try await client.post(path, file.bytes, as: type) }
                answers.append(try JSONValueDecoder().decode(StatementJSON.self, from: answer))
            }
            return answers
        }
    }

    /// Sets the ledger's rules to the terms of the simulated processors.
    ///
    /// - Parameter approver: Has the key of another operator.
    /// - Throws: `Failure`, also when a key may not change rules.
    func agree(approver: APIClient, note: (String) -> Void = { _ in }) async throws {
        note("setting the rules: the fees of the simulated processors")
        let body: JSONValue = [
            "rules": try JSONValueEncoder().encode(ProcessorTerms.rules),
            "reason": "the terms of the simulated processors",
        ]
        try await answered {
            let answer = try await client.patiently { try await client.put("/v1/reconciliation-rules", body) }
            let proposed = try JSONValueDecoder().decode(ProposalJSON.self, from: answer)
            let path = "/v1/proposals/\(proposed.id.text)/approve"
            let reason: JSONValue = ["reason": "the terms of the simulated processors"]
            _ = try await approver.patiently {
                try await approver.post(path, reason.canonicalBytes, as: "application/json")
            }
        }
    }

    /// Starts a run, and waits until it is done.
    ///
    /// - Returns: The answer of `POST /v1/reconciliations`: the run, and the counts of explained lines and movements.
    /// - Throws: `Failure`.
    func reconcile(note: (String) -> Void = { _ in }) async throws -> RunAnswerJSON {
        note("reconciling")
        return try await answered {
            // The request is refused while a read model is behind, and is then repeated.
            let answer = try await client.patiently {
                try await client.post("/v1/reconciliations", [], as: "application/json")
            }
            return try JSONValueDecoder().decode(RunAnswerJSON.self, from: answer)
        }
    }

    /// Imports, reconciles and compares with the truth.
    ///
    /// - Returns: The score, and the classes that are not compared because the ledger has other rules.
    /// - Throws: `Failure`.
    func run(
        _ files: [File],
        _ truth: TruthFile,
        note: (String) -> Void
    ) async throws -> (score: ReconciliationScore, ignored: Set<ExceptionClass>) {
        _ = try await `import`(files, note: note)
        let run = try await reconcile(note: note)
        let isAgreed = run.rules == (try Reconciler.digest(of: ProcessorTerms.rules))
        let ignored: Set<ExceptionClass> = isAgreed ? [] : [.feeDiffers]
        if !isAgreed { note("the ledger's rules do not have the agreed fees: fee-differs is not compared") }
        return (try await score(truth, ignoring: ignored, note: note), ignored)
    }

    /// Reads all matches and exceptions and compares them with the truth.
    ///
    /// - Throws: `Failure`.
    func score(
        _ truth: TruthFile,
        ignoring ignored: Set<ExceptionClass> = [],
        note: (String) -> Void = { _ in }
    ) async throws -> ReconciliationScore {
        try await answered {
            var answers = ReconciliationAnswers()
            note("reading payments")
            try await client.pages("/v1/transactions", as: JSONValue.self) { answers.add(payment: $0) }
            note("reading statements")
            var files: [(id: String, name: String)] = []
            try await client.pages("/v1/statements", as: StatementJSON.self) { item in
                files.append((item.id.text, item.name ?? item.id.text))
            }
            // The list begins with the newest import.
            for file in files.reversed() {
                answers.add(statement: file.id, of: file.name)
                try await client.pages("/v1/statements/\(file.id)/lines", as: JSONValue.self) {
                    answers.add(line: $0, of: file.name)
                }
            }
            note("reading exceptions")
            try await client.pages("/v1/exceptions", as: JSONValue.self) { answers.add(exception: $0) }
            note("reading matches")
            try await client.pages("/v1/matches", as: JSONValue.self) { answers.add(match: $0) }
            note("reading deposits")
            var payouts: [String] = []
            try await client.pages("/v1/deposits?side=processor&state=matched", as: TransferJSON.self) {
                payouts.append($0.line.text)
            }
            for payout in payouts {
                let proof = try await client.patiently { try await client.get("/v1/deposits/\(payout)") }
                answers.add(deposit: proof)
            }
            return answers.score(truth, ignoring: ignored)
        }
    }

    private func answered<Result>(_ work: () async throws -> Result) async throws -> Result {
        do {
            return try await work()
        } catch let error as APIClient.Refused {
            throw Failure(error)
        } catch let error as APIClient.Unreachable {
            throw Failure(error, at: client.base)
        }
    }
}

extension StatementFormat {
    /// The media type of an upload in this format.
    fileprivate var mediaType: String {
        switch self {
        case .camt053, .camt054: "application/xml"
        case .iposgoSettlement, .spinBatch, .squarePayout: "application/json"
        case .bai2, .amexEPRAW, .valitorClearing: "text/plain"
        default: "text/csv"
        }
    }
}

extension ReconciliationScore {
    /// The maximum number of mismatches that are printed.
    private static let shown = 200

    /// - Parameter truth: The true discrepancies. Planted ones are counted apart from those that follow from payments.
    func show(_ truth: [DiscrepancyTruth]) {
        var rows: [[String]] = []
        for (name, measure) in measures {
            let planted = truth.count { $0.exceptionClass.rawValue == name && $0.isPlanted }
            rows.append(Self.row(name, measure, planted: "\(planted)"))
        }
        rows.append(Self.row("lines matched", matches, planted: "-"))
        rows.append(Self.row("payouts matched", deposits, planted: "-"))
        Terminal.table(
            ["class", "planted", "actual", "claimed", "right", "precision", "recall"],
            rows,
            rightAligned: Set(1...6)
        )
        for mismatch in mismatches.prefix(Self.shown) { Terminal.say("! \(mismatch)") }
        if mismatches.count > Self.shown {
            Terminal.say("and \(mismatches.count - Self.shown) more; --json lists them")
        }
        Terminal.say(
            isClean
                ? "the reconciliation found every discrepancy" : "\(mismatches.count, "mismatch", "mismatches")"
        )
    }

    private static func row(_ name: String, _ measure: Measure, planted: String) -> [String] {
        [
            name, planted, "\(measure.actual)", "\(measure.claimed)", "\(measure.right)",
            Measure.text(measure.precision), Measure.text(measure.recall),
        ]
    }
}
