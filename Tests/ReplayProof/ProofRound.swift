import Canonical
import DaybookTestKit
import PostgresCluster

extension Daybook {
    /// With the clock of a server.
    func adding(_ clock: ProofClock) -> Daybook {
        var daybook = self
        daybook.environment.merge(clock.environment) { $1 }
        return daybook
    }
}

/// One run of the proof, from the first sale to the comparison of the books.
struct ProofRound {
    /// With the gateways.
    let daybook: Daybook
    /// Without them.
    let shop: Daybook
    let cluster: PrivateCluster
    let gateway: ProofGateway
    /// The first has most payments, and the plans that are executed again after restores.
    var tenants: [ProofTenant]
    /// The clock of each server.
    let clocks: [ProofClock]
    var random: SeededGenerator
    let note: @Sendable (String) -> Void
    var servers: [RunningServer] = []
    var outcome = ProofRun.Outcome()
    /// The witness file at the time of the last backup.
    var witnessed: String?

    init(
        daybook: Daybook,
        shop: Daybook,
        cluster: PrivateCluster,
        gateway: ProofGateway,
        tenants: [ProofTenant],
        clocks: [ProofClock],
        random: SeededGenerator,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.daybook = daybook
        self.shop = shop
        self.cluster = cluster
        self.gateway = gateway
        self.tenants = tenants
        self.random = random
        self.note = note
        self.clocks = clocks
    }

    mutating func run(_ payments: Int, kills: Int, mostPlans: Int) async throws -> ProofRun.Outcome {
        try await sell(payments)
        let clock = ContinuousClock()
        var begun = clock.now
        let doubts = try await inDoubt()
        try await kill(kills, of: doubts) { proof in
            let left = try await proof.inDoubt()
            return (doubts - left, left == 0)
        }
        try await jump(1, bySeconds: -3600)
        try await settled()
        outcome.resolvingSeconds = Self.seconds(clock.now - begun)
        note("resolved them in \(Int(outcome.resolvingSeconds)) s")

        // The restore loses the first plan with its calls.
        var backup = try await backUp()
        begun = clock.now
        // A resubmitted payment can be lost again, and some amounts always cause an error.
        while outcome.plans < mostPlans, let plan = try await plan(tenants[0].api) {
            outcome.plans += 1
            let open = try await progress(of: plan).toAttempt
            outcome.resubmissions += Int(open)
            if outcome.plans == 2 {
                backup = try await backUp()
                try await jump(0, bySeconds: 3600)
            }
            try await kill(outcome.plans == 1 ? kills : 0, of: open) { proof in
                let now = try await proof.progress(of: plan)
                return (now.attempted, now.isOver)
            }
            if outcome.plans == 2 { try await progressed(plan, to: open * 2 / 3) } else { try await completed(plan) }
            // The second restore loses two thirds of the second plan, which is then executed again.
            if outcome.plans <= 2 { try await restore(backup) }
            if outcome.plans == 2 { try await completed(plan) }
            note("plan \(outcome.plans) of \(open) is carried out")
            try await settled()
        }
        if let plan = try await plan(tenants[1].api) {
            outcome.plans += 1
            try await completed(plan, of: tenants[1].api)
            try await settled()
        }
        outcome.replayingSeconds = Self.seconds(clock.now - begun)
        if outcome.plans < 3 { outcome.complain("only \(outcome.plans) plans were executed") }

        note("comparing the books")
        let books = try await gateway.books()
        for tenant in tenants { try await ProofBooks(of: tenant).compare(with: books, &outcome) }
        try await askForOtherAccounts()
        for server in servers { try await stop(server) }
        return outcome
    }

    /// The sales are made while no server queries the gateway, so that all doubts remain for the proof.
    private mutating func sell(_ payments: Int) async throws {
        servers = []
        for clock in clocks { servers.append(try await shop.adding(clock).serve()) }
        for tenant in tenants.indices { tenants[tenant].api.ports = servers.map(\.port) }
        let clock = ContinuousClock()
        let begun = clock.now
        for (index, count) in [payments - payments / 10, payments / 10].enumerated() {
            tenants[index].sold = try await ProofApp(tenant: tenants[index], seed: random.next(), note: note).sell(
                count
            )
            outcome.payments += tenants[index].sold.payments.count
            outcome.doubts += tenants[index].sold.doubts
        }
        outcome.sellingSeconds = Self.seconds(clock.now - begun)
        note("sold \(payments) in \(Int(outcome.sellingSeconds)) s, \(outcome.doubts) without an answer")
        for server in servers.indices {
            try await stop(servers[server])
            try await start(server)
        }
    }

    /// Starts a server again, at its port.
    mutating func start(_ server: Int) async throws {
        servers[server] = try await daybook.adding(clocks[server]).serve(port: servers[server].port)
    }

    mutating func stop(_ server: RunningServer) async throws {
        let exit = try await server.stop()
        if exit != 0 { outcome.complain("a server ended with \(exit)") }
    }

    static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }

    /// The pause between two progress checks.
    func pause() async throws { try await Task.sleep(for: .milliseconds(200)) }

    // MARK: Progress

    /// Of all tenants.
    func inDoubt() async throws -> Int64 {
        var count: Int64 = 0
        for tenant in tenants {
            let totals = try await tenant.api.json("GET", "/v1/doubts?limit=1")["totals"]?.array ?? []
            count += totals.reduce(0) { $0 + ($1["count"]?.int64 ?? 0) }
        }
        return count
    }

    /// The maximum time from one payment to the next while the work makes progress. Longer than the longest pause
    /// between two unanswered queries, which is five minutes.
    static let waitLimit = Duration.seconds(400)

    /// Returns once nothing is in doubt except payments that need review.
    mutating func settled() async throws {
        var (fewest, since) = (Int64.max, ContinuousClock.now)
        while true {
            let left = try await inDoubt()
            if left == 0 { return }
            if left <= 200 {
                var open: [JSONValue] = []
                for tenant in tenants {
                    try await tenant.api.each("/v1/doubts") {
                        if $0["attention"]?["isNeeded"] != true { open.append($0) }
                    }
                }
                if open.isEmpty { return }
                if ContinuousClock.now - since > Self.waitLimit {
                    for doubt in open { outcome.complain("it stays in doubt: \(doubt.text)") }
                    return
                }
            } else if ContinuousClock.now - since > Self.waitLimit {
                return outcome.complain("\(left) stay in doubt")
            }
            if left < fewest { (fewest, since) = (left, .now) }
            try await pause()
        }
    }

    private mutating func completed(_ plan: String, of api: ProofAPI? = nil) async throws {
        try await progressed(plan, to: .max, of: api)
    }

    /// Returns once that many items of the plan were attempted, or the plan is over.
    private mutating func progressed(_ plan: String, to attempted: Int64, of api: ProofAPI? = nil) async throws {
        var (most, since) = (Int64(-1), ContinuousClock.now)
        while true {
            let now = try await progress(of: plan, at: api)
            if now.isOver || now.attempted >= attempted { return }
            if now.done > most { (most, since) = (now.done, .now) }
            if ContinuousClock.now - since > Self.waitLimit {
                outcome.complain("plan \(plan) stays at \(now.attempted) of \(now.toAttempt)")
                return try await complainOfOpenItems(of: plan, at: api)
            }
            try await pause()
        }
    }

    private mutating func complainOfOpenItems(of plan: String, at api: ProofAPI?) async throws {
        var open: [JSONValue] = []
        try await (api ?? tenants[0].api).each("/v1/replays/\(plan)/items?disposition=resubmit") {
            if $0["end"] == nil || $0["end"] == .null { open.append($0) }
        }
        for item in open { outcome.complain("it has not ended: \(item.text)") }
    }

    private struct Progress {
        /// The number of started items plus that of ended items: it grows with every step.
        var done: Int64
        var attempted: Int64
        var toAttempt: Int64
        var isOver: Bool
    }

    private func progress(of plan: String, at api: ProofAPI? = nil) async throws -> Progress {
        let now = try await (api ?? tenants[0].api).json("GET", "/v1/replays/\(plan)")
        let attempted = now["progress"]?["attempted"]?.int64 ?? 0
        return Progress(
            done: attempted + (now["progress"]?["ended"]?.int64 ?? 0),
            attempted: attempted,
            toAttempt: now["progress"]?["toAttempt"]?.int64 ?? 0,
            isOver: now["status"] == "completed"
        )
    }

    /// Creates, approves and starts a plan of all payments that were not posted; nil if there are none.
    private func plan(_ api: ProofAPI) async throws -> String? {
        let asked: JSONValue = ["filter": ["status": "not-posted"], "reason": "answers were lost"]
        let made = try await api.json("POST", "/v1/replays", asked, also: [409, 422])
        if made["code"] == "replay-nothing-found" { return nil }
        guard let id = made["id"]?.string else { throw TestKitError("\(made.text)") }
        let reason: JSONValue = ["reason": "reviewed"]
        let approved = try await api.json(
            "POST",
            "/v1/replays/\(id)/approve",
            reason,
            key: api.approver,
            also: [409]
        )
        if approved["code"] == "replay-nothing-to-do" { return nil }
        guard approved["status"] == "approved" || approved["code"] == "replay-already-approved" else {
            throw TestKitError("\(approved.text)")
        }
        let started = try await api.json("POST", "/v1/replays/\(id)/start", reason, also: [409])
        guard started["status"] == "running" || started["code"] == "replay-already-started" else {
            throw TestKitError("\(started.text)")
        }
        return id
    }

    // MARK: kill -9

    /// Kills servers and the database in random order, each at a random point of the remaining work.
    private mutating func kill(
        _ count: Int,
        of all: Int64,
        progress: (ProofRound) async throws -> (done: Int64, isOver: Bool)
    ) async throws {
        var victims: [Int] = []
        while victims.count < count { victims += [0, 1, 2].shuffled(using: &random) }
        let moments = (0..<count).map { _ in Int64.random(in: 0...max(1, all * 4 / 5), using: &random) }.sorted()
        for (victim, moment) in zip(victims, moments) {
            while true {
                let now = try await progress(self)
                if now.isOver { return }
                if now.done >= moment { break }
                try await pause()
            }
            outcome.kills += 1
            guard victim < servers.count else {
                try await PostgresProcesses(of: cluster).kill()
                await (try await cluster.start()).release()
                continue
            }
            try await servers[victim].process.kill()
            try await start(victim)
        }
    }
}
