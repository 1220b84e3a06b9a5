import DaybookTestKit
import PostgresCluster

/// Sells at a gateway that loses answers, lets two servers find out what became of the payments and ask again for what came to
/// nothing, kills the servers and the database while they do, and compares the books of both sides.
///
/// What is being proved is of whoever runs the service; this is the world around it: an app, a gateway, three operators' keys, and
/// somebody with `kill -9`.
package struct ReplayProof: Sendable {
    /// What happens to calls, in parts of a hundred.
    package static let faults = "lost=20,duplicate=5,slow=5,fail=5"

    /// How many payments are sold.
    package let payments: Int
    /// How many processes are killed while doubts are resolved, and as many while the first plan is carried out; of every three
    /// one is the database.
    package let kills: Int
    private let seed: UInt64
    private let program: String?
    private let sharedBuffersMebibytes: Int
    private let note: @Sendable (String) -> Void

    /// - Parameters:
    ///   - seed: Of amounts, and of when who is killed.
    ///   - program: The `daybook` to prove; nil for the one built beside this program.
    ///   - note: Is told how far it has come.
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

    /// Plans at most: some amounts the network answers with an error every time they are asked for.
    private static let mostPlans = 3

    /// - Throws: `TestKitError` where the world does not come about, or an answer makes no sense. What is being proved does not
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
                var shop = daybook
                shop.environment["DAYBOOK_GATEWAYS"] = nil
                // Rules for stand-ins are taken where there are some.
                shop.environment["DAYBOOK_REPLAY_RULES"] = nil
                var round = ProofRound(
                    daybook: daybook,
                    shop: shop,
                    cluster: cluster,
                    gateway: gateway,
                    api: ProofAPI(
                        ports: [],
                        app: try await daybook.key(),
                        planner: try await daybook.key(scopes: "read,replay:plan", holder: "ann"),
                        approver: try await daybook.key(scopes: "read,replay:approve", holder: "bob")
                    ),
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

    /// What came of it.
    package struct Outcome: Sendable {
        package internal(set) var payments = 0
        /// Payments of which the app did not learn the outcome.
        package internal(set) var doubts = 0
        /// Payments that were asked for again, each once a plan.
        package internal(set) var resubmissions = 0
        package internal(set) var plans = 0
        /// Processes that were killed.
        package internal(set) var kills = 0
        /// Charges of the gateway's books beyond the first of a payment.
        package internal(set) var doubleCharges = 0
        /// What the ledger has less what the gateway has, in cents.
        package internal(set) var differenceCents: Int64 = 0
        /// What the gateway took, in cents.
        package internal(set) var chargedCents: Int64 = 0
        /// How many payments wait for a person.
        package internal(set) var people = 0
        package internal(set) var sellingSeconds = 0.0
        /// From the start of the servers that ask until nothing was in doubt.
        package internal(set) var resolvingSeconds = 0.0
        /// All plans, from being made until nothing was in doubt after them.
        package internal(set) var replayingSeconds = 0.0
        /// Everything that should not be so; nothing where it is proved. At most fifty, and how many more.
        package private(set) var complaints: [String] = []
        package private(set) var furtherComplaints = 0

        mutating func complain(_ what: String) {
            if complaints.count < 50 { complaints.append(what) } else { furtherComplaints += 1 }
        }

        /// Doubts, and payments asked for again, a second.
        package var resolvingRate: Double { Double(doubts) / max(resolvingSeconds, 0.001) }
        package var replayingRate: Double { Double(resubmissions) / max(replayingSeconds, 0.001) }
    }
}
