import Canonical
import Operations
import Simulator

/// Reads a ledger's view of a simulation through its API.
struct LedgerReading: Sendable {
    let client: APIClient
    /// The position as of which payments, batches and totals are read; nil for the current state.
    var position: Int64?

    private func path(_ path: String) -> String {
        guard let position else { return path }
        return path + (path.contains("?") ? "&" : "?") + "as_of_position=\(position)"
    }

    /// Reads and scores. Waits until the read models have applied the whole log and the log has stopped growing,
    /// because settlements follow the closing of a batch.
    ///
    /// - Parameter note: Called with lines about progress.
    func score(_ truth: TruthFile, note: (String) -> Void = { _ in }) async throws -> Score {
        try await untilSettled(note, isClean: \.isClean) { try await read(truth, note) }
    }

    /// Reads and scores the balances of the journal. All of the tenant are compared. Waits as `score` does.
    ///
    /// - Throws: `Failure`, also if the truth has no balances in the state.
    func balances(
        _ truth: TruthFile,
        _ state: BalanceTruth.State,
        note: (String) -> Void = { _ in }
    ) async throws -> BalanceScore {
        guard BalanceScorer(truth, state).isComparable else {
            throw Failure(
                "The truth file has no \(state.rawValue) balances.",
                hint: "`daybook simulate` writes them, those after statements with --statements."
            )
        }
        return try await untilSettled(note, isClean: \.isClean) { try await read(truth, state, note) }
    }

    private func untilSettled<Result>(
        _ note: (String) -> Void,
        isClean: (Result) -> Bool,
        _ read: () async throws -> Result
    ) async throws -> Result {
        do {
            while true {
                let head = try await settle(note)
                let score = try await read()
                // A busy ledger may pause between two settlements. If the log has grown, everything is read again.
                guard !isClean(score) else { return score }
                try await Task.sleep(for: .seconds(5))
                guard try await progress().head != head else { return score }
                note("the log has grown; reading again")
            }
        } catch let error as APIClient.Refused {
            throw Failure(error)
        } catch let error as APIClient.Unreachable {
            throw Failure(error, at: client.base)
        }
    }

    private func read(_ truth: TruthFile, _ note: (String) -> Void) async throws -> Score {
        var scorer = Scorer(truth)
        note("reading payments")
        try await client.pages(path("/v1/transactions"), as: JSONValue.self) { item in
            if let payment = LedgerPayment(item) { scorer.add(payment) }
        }
        note("reading receipts")
        for id in scorer.paymentsWithReceipt(limit: Self.receipts) {
            scorer.add(receipt: await receipt(of: id), of: id)
        }
        note("reading batches")
        var batches: [LedgerBatch] = []
        try await client.pages(path("/v1/batches"), as: JSONValue.self) { item in
            if let batch = LedgerBatch(item), scorer.concerns(batch) { batches.append(batch) }
        }
        for batch in batches {
            var members: [String] = []
            try await client.pages(path("/v1/batches/\(batch.id)/members"), as: BatchMemberJSON.self) {
                members.append($0.transaction.text)
            }
            scorer.add(batch, members: members)
        }
        note("reading totals")
        for merchant in scorer.merchants {
            let totals = try await client.patiently {
                try await client.get(path("/v1/totals?by=day&merchant=\(merchant)"), as: PageJSON<JSONValue>.self)
            }
            scorer.add(totals.items.compactMap(LedgerDay.init), of: merchant)
            let described = try? await client.patiently {
                try await client.get(path("/v1/merchants/\(merchant)"), as: MerchantJSON.self)
            }
            for name in described?.names ?? [] where name.ambiguous != true {
                scorer.add(name: name.name, of: merchant)
            }
            guard scorer.hasPaymentWithoutMerchant else { continue }
            try await client.pages(path("/v1/transactions?merchant=\(merchant)"), as: JSONValue.self) { item in
                guard let payment = LedgerPayment(item), payment.merchant == nil else { return }
                scorer.add(payment: payment.id, of: merchant)
            }
        }
        return scorer.score()
    }

    private func read(
        _ truth: TruthFile,
        _ state: BalanceTruth.State,
        _ note: (String) -> Void
    ) async throws -> BalanceScore {
        var scorer = BalanceScorer(truth, state)
        note("reading payments")
        try await client.pages(path("/v1/transactions"), as: JSONValue.self) { item in
            if let payment = LedgerPayment(item) { scorer.add(payment) }
        }
        note("reading balances")
        for day in scorer.days {
            let query = "/v1/trial-balance?by=account,part" + (day.map { "&to_day=\($0)" } ?? "")
            let answer = try await client.patiently { try await client.get(path(query)) }
            scorer.add((answer["items"]?.array ?? []).compactMap { LedgerBalance($0) }, through: day)
        }
        return scorer.score()
    }

    /// The maximum number of receipts that are read.
    private static let receipts = 1_000

    /// The receipt of a payment; nil if the ledger has none.
    private func receipt(of id: String) async -> JSONValue? {
        try? await client.patiently {
            try await client.get(path("/v1/transactions/\(id)/receipt"), as: JSONValue.self)
        }
    }

    /// The head of the log, and the lag of the slowest read model in events.
    private func progress() async throws -> (head: Int64, lag: Int64) {
        let models = try await client.patiently {
            try await client.get("/v1/projections", as: ProgressPageJSON.self)
        }.items
        if let halted = models.first(where: { $0.state == .halted }) {
            throw Failure(
                "The read model \(halted.name) has halted: \(halted.fault ?? "").",
                hint: "`daybook rebuild` rebuilds it."
            )
        }
        return (models.map { $0.position + $0.lag }.max() ?? 0, models.map(\.lag).max() ?? 0)
    }

    /// Waits until the log has not grown for a second and every read model is at its head.
    ///
    /// - Returns: The head of the log.
    private func settle(_ note: (String) -> Void) async throws -> Int64 {
        var last: Int64?
        for round in 0..<3_600 {
            let (head, lag) = try await progress()
            if lag == 0, head == last { return head }
            last = head
            if round % 10 == 9 { note("waiting for the read models: \(lag, "event") behind") }
            try await Task.sleep(for: .seconds(1))
        }
        throw Failure("The read models do not catch up.", hint: "`daybook doctor` checks the ledger.")
    }
}
