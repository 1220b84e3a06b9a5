import DaybookTestKit
import PostgresCluster

/// Sells for two tenants at a gateway that loses answers, lets two servers find the outcomes and resubmit the payments
/// that were not posted, and compares the books of both sides. Meanwhile servers and database are killed, the servers'
/// clocks jump, the database is restored twice to an earlier time, and one tenant names the other's account.
///
/// The proof applies to any operator's service. This is the environment around it: apps, a gateway, the keys of
/// operators, and `kill -9`.
package struct ProofRun: Sendable {
    /// The faults of calls, in percent.
    package static let faults = "lost=20,duplicate=5,slow=5,fail=5"

    package let payments: Int
    /// The number of processes killed while doubts are resolved, and again while the first plan is executed; one of
    /// every three is the database.
    package let kills: Int
    private let seed: UInt64
    private let program: String?
    private let sharedBuffersMebibytes: Int
    private let note: @Sendable (String) -> Void

    /// - Parameters:
    ///   - seed: Determines the amounts and the kills.
    ///   - program: The `daybook` to prove; nil for the one built beside this program.
    ///   - note: Receives the progress.
    package init(
        payments: Int,
        kills: Int = 3,
        seed: UInt64,
        program: String? = nil,
        sharedBuffersMebibytes: Int = 64,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.payments = payments
        self.kills = kills
        self.seed = seed
        self.program = program
        self.sharedBuffersMebibytes = sharedBuffersMebibytes
        self.note = note
    }

    /// The maximum number of plans of the first tenant: the network answers some amounts with an error at every
    /// resubmission. The first two are executed again after restores.
    private static let mostPlans = 3

    /// - Throws: `TestKitError` if the environment cannot be set up, or an answer is invalid. A failed proof does not
    ///   throw: it is in the outcome.
    package func run() async throws -> Outcome {
        let program = try program ?? ServerProcess.builtProduct("daybook")
        return try await PrivateServer.with(sharedBuffersMebibytes: sharedBuffersMebibytes) { cluster, url in
            try await Daybook.with(environment: ["DATABASE_URL": url]) { plain in
                var plain = plain
                plain.program = program
                let gateway = try await ProofGateway.start(plain, faults: Self.faults)
                var environment = plain.environment
                for (key, value) in gateway.settings {
                    environment[key.uppercased().replacing(".", with: "_")] = value
                }
                var daybook = plain
                daybook.environment = environment
                // Servers know a restored log by the checkpoints in this file.
                daybook.environment["DAYBOOK_WITNESS_FILE"] = "witness.txt"
                let key = try await daybook.run("keys", "log")
                guard key.succeeded else { throw TestKitError("keys log: \(key)") }
                var shop = daybook
                for name in environment.keys where name.hasPrefix("DAYBOOK_GATEWAY") { shop.environment[name] = nil }
                // Rules for stand-ins are accepted only with stand-ins.
                shop.environment["DAYBOOK_REPLAY_RULES"] = nil
                var tenants: [ProofTenant] = []
                for (own, prefix) in zip(ProofGateway.accounts, ["app", "riv"]) {
                    tenants.append(
                        try await ProofTenant.make(
                            own.tenant,
                            account: own.account,
                            prefix: prefix,
                            gateway: try gateway.access(of: own.tenant),
                            daybook
                        )
                    )
                }
                let clock = try await ProofClock.build(in: plain.directory)
                var round = ProofRound(
                    daybook: daybook,
                    shop: shop,
                    cluster: cluster,
                    gateway: gateway,
                    tenants: tenants,
                    clocks: try (0..<2).map { try ProofClock(path: "\(plain.directory)/clock-\($0)", library: clock) },
                    random: SeededGenerator(seed: seed),
                    note: note
                )
                var outcome = try await round.run(payments, kills: kills, mostPlans: Self.mostPlans)
                let exit = try await gateway.stop()
                if exit != 0 { outcome.complain("the gateway ended with \(exit)") }
                return outcome
            }
        }
    }

    /// The result of the proof.
    package struct Outcome: Sendable {
        package internal(set) var payments = 0
        /// Payments whose outcome the app did not learn.
        package internal(set) var doubts = 0
        /// Resubmitted payments, counted once per plan.
        package internal(set) var resubmissions = 0
        package internal(set) var plans = 0
        package internal(set) var kills = 0
        /// Jumps of a server's clock by an hour.
        package internal(set) var jumps = 0
        /// Restores of the database to an earlier time.
        package internal(set) var restores = 0
        /// Calls at the account of the first tenant while only the second one named it.
        package internal(set) var foreignRequests: Int64 = 0
        /// Charges in the gateway's books beyond the first of a payment.
        package internal(set) var doubleCharges = 0
        /// The differences between the ledger's and the gateway's total of each tenant, in cents.
        package internal(set) var differenceCents: Int64 = 0
        /// The gateway's total, in cents.
        package internal(set) var chargedCents: Int64 = 0
        /// The number of payments that need review.
        package internal(set) var inReview = 0
        package internal(set) var sellingSeconds = 0.0
        /// From the start of the querying servers until nothing was in doubt.
        package internal(set) var resolvingSeconds = 0.0
        /// All plans, from their creation until nothing was in doubt after them.
        package internal(set) var replayingSeconds = 0.0
        /// All failures; empty if the proof succeeded. At most fifty, and the number of further ones.
        package private(set) var complaints: [String] = []
        package private(set) var furtherComplaints = 0

        mutating func complain(_ what: String) {
            if complaints.count < 50 { complaints.append(what) } else { furtherComplaints += 1 }
        }

        /// Resolved doubts per second; resubmissions per second.
        package var resolvingRate: Double { Double(doubts) / max(resolvingSeconds, 0.001) }
        package var replayingRate: Double { Double(resubmissions) / max(replayingSeconds, 0.001) }
    }
}
