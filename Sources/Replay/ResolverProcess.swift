package import Canonical
package import EventLog
import Intake
package import Logging
import Payments
package import Postgres
package import Projections

/// Asks about payments in doubt by itself, each when it is due, a bounded number at a time.
package struct ResolverProcess: Sendable {
    package static let actor = "process:resolver"
    /// What is appended within this time is looked at together.
    private static let gathering = Duration.milliseconds(200)
    /// How long until a payment is looked at again of which looking failed.
    private static let retrySeconds: Int64 = 30
    /// Asked about at a time.
    private static let most = 8

    /// A payment in doubt.
    fileprivate struct Payment: Hashable {
        var tenant: String
        var transaction: UUID128
    }

    /// What is to be done when. Only payments that somebody can be asked about are in it.
    package struct Agenda: Sendable {
        fileprivate var due: [Payment: Timestamp] = [:]
        /// Every payment in doubt with an event up to here was looked at.
        fileprivate var seen: Int64 = 0

        package init() {}

        /// When the next payment is to be looked at.
        package var earliest: Timestamp? { due.values.min() }
        package var count: Int { due.count }
    }

    private let pool: PostgresPool
    private let resolver: OutcomeResolver
    private let readModels: ReadModels
    private let appended: PositionSignal
    private let ids: any UUIDGenerator
    private let wallClock: any WallClock
    private let logger: Logger
    private let clock: any Clock<Duration>

    package init(
        pool: PostgresPool,
        resolver: OutcomeResolver,
        readModels: ReadModels,
        appended: PositionSignal,
        ids: any UUIDGenerator,
        wallClock: any WallClock,
        logger: Logger,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.pool = pool
        self.resolver = resolver
        self.readModels = readModels
        self.appended = appended
        self.ids = ids
        self.wallClock = wallClock
        self.logger = logger
        self.clock = clock
    }

    /// Goes on until cancelled; what is asked then is cut short, and recorded as that. A step that fails is tried again.
    package func run() async {
        var agenda = Agenda()
        while !Task.isCancelled {
            do {
                let position = appended.position
                while try await !readModels.wait(for: "transactions", toReach: position, timeout: .seconds(10)) {
                    try Task.checkCancellation()
                }
                try await step(&agenda)
                await rest(until: agenda.earliest, or: position)
                try await clock.sleep(for: Self.gathering)
            } catch {
                if error is CancellationError || Task.isCancelled { return }
                if (error as? PostgresError)?.code == .poolShutdown { return }
                logger.warning("doubts wait", metadata: ["error": "\(String(reflecting: type(of: error)))"])
                try? await clock.sleep(for: .seconds(1))
            }
        }
    }

    /// Takes in what has come to be in doubt, and asks about everything that is due.
    package func step(_ agenda: inout Agenda) async throws {
        try await learn(&agenda)
        let now = wallClock.now()
        var due = agenda.due.filter { $0.value <= now }.sorted { $0.value < $1.value }.map(\.key)[...]
        await withTaskGroup(of: (Payment, Timestamp?).self) { group in
            for _ in 0..<Self.most {
                guard let payment = due.popFirst() else { break }
                group.addTask { (payment, await look(at: payment)) }
            }
            for await (payment, next) in group {
                agenda.due[payment] = next
                guard !Task.isCancelled, let payment = due.popFirst() else { continue }
                group.addTask { (payment, await look(at: payment)) }
            }
        }
    }

    /// - Returns: When to look again; nil for not before something is told about it.
    private func look(at payment: Payment) async -> Timestamp? {
        let sender = Sender(tenant: payment.tenant, actor: Self.actor, correlation: ids.next().text)
        do {
            switch try await resolver.resolve(payment.transaction, sender: sender) {
            case .noSuchPayment, .nothingInDoubt, .person, .noGateway: return nil
            case .asked(let standing), .waiting(let standing):
                switch standing.next {
                case .nothing, .person: return nil
                case .underWay(let until): return until
                case .ask(let at, _): return at
                }
            }
        } catch {
            if !Task.isCancelled {
                logger.warning(
                    "a payment in doubt could not be asked about",
                    metadata: [
                        "transaction": "\(payment.transaction.text)",
                        "error": "\(String(reflecting: type(of: error)))",
                    ]
                )
            }
            return wallClock.now().adding(microseconds: Self.retrySeconds * 1_000_000)
        }
    }

    private func learn(_ agenda: inout Agenda) async throws {
        while true {
            let rows = try await pool.query(
                """
                SELECT tenant, id, last_position FROM read_transactions.transactions
                WHERE in_doubt AND last_position > $1 ORDER BY last_position LIMIT 500
                """,
                [.int64(agenda.seen)]
            )
            for row in rows {
                agenda.due[Payment(tenant: try row.text(0), transaction: try row.uuid(1))] = .earliest
                agenda.seen = try row.int64(2)
            }
            guard rows.count == 500 else { return }
        }
    }

    /// Returns when the time has come, or something was appended.
    private func rest(until time: Timestamp?, or position: Int64) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await appended.wait(beyond: position) }
            if let time {
                let left = max(0, time.microseconds(since: wallClock.now()))
                group.addTask { try? await clock.sleep(for: .microseconds(left)) }
            }
            await group.next()
            group.cancelAll()
        }
    }
}
