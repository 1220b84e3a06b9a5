package import Canonical
package import EventLog
import Intake
package import Logging
import Payments
package import Postgres
package import Projections

/// Queries payments in doubt and sends due reversals automatically, each when it is due, a bounded number at a time.
package struct ResolverProcess: Sendable {
    package static let actor = "process:resolver"
    /// Events appended within this time are handled together.
    private static let gathering = Duration.milliseconds(200)
    /// The wait before a failed check of a payment is retried.
    private static let retrySeconds: Int64 = 30
    /// A payment with a check due within this time is not checked earlier because of a new event.
    private static let soonSeconds: Int64 = 60
    private static let page = 500

    /// The due times of checks. After its check, a payment remains only if another action is due.
    package struct Schedule: Sendable {
        fileprivate var due: [OpenPayment: Timestamp] = [:]
        /// The position up to which payments in doubt were added.
        fileprivate var seen: Int64 = 0
        /// The epoch of the log in which they were added. In another epoch, positions are those of other events.
        fileprivate var epoch: Int64?

        package init() {}

        /// The time of the next check.
        package var earliest: Timestamp? { due.values.min() }
        package var count: Int { due.count }
    }

    private let doubts: DoubtQuery
    private let resolver: OutcomeResolver
    private let readModels: ReadModels
    private let appended: PositionSignal
    private let ids: any UUIDGenerator
    private let wallClock: any WallClock
    private let logger: Logger
    private let loop: BackgroundLoop
    private let concurrent: Int

    /// - Parameter concurrent: The number of payments that are checked at a time.
    package init(
        pool: PostgresPool,
        resolver: OutcomeResolver,
        readModels: ReadModels,
        appended: PositionSignal,
        ids: any UUIDGenerator,
        wallClock: any WallClock,
        logger: Logger,
        clock: any Clock<Duration> = ContinuousClock(),
        concurrent: Int = 8
    ) {
        doubts = DoubtQuery(pool: pool)
        self.resolver = resolver
        self.readModels = readModels
        self.appended = appended
        self.ids = ids
        self.wallClock = wallClock
        self.logger = logger
        loop = BackgroundLoop(appended: appended, failureMessage: "doubts wait", logger: logger, clock: clock)
        self.concurrent = max(1, concurrent)
    }

    /// Runs until cancelled. Queries in progress are then interrupted, which is recorded. A failed step is retried.
    package func run() async {
        var schedule = Schedule()
        await loop.run {
            guard resolver.mayCall else { return .time(.seconds(1)) }
            let position = appended.position
            while try await !readModels.wait(for: "transactions", toReach: position, timeout: .seconds(10)) {
                try Task.checkCancellation()
            }
            try await step(&schedule)
            let now = wallClock.now()
            let left = schedule.earliest.map { Duration.microseconds(max(0, $0.microseconds(since: now))) }
            return .append(beyond: position, orAfter: left, gathering: Self.gathering)
        }
    }

    /// Adds new payments in doubt to the schedule and checks every payment that is due.
    ///
    /// Several servers do so at once: of two that decide to call about the same payment, one succeeds, by the version
    /// of its stream.
    package func step(_ schedule: inout Schedule) async throws {
        try await learn(&schedule)
        let now = wallClock.now()
        // In random order, so that two servers with the same schedule work on different payments.
        var due = schedule.due.filter { $0.value <= now }.map(\.key).shuffled()[...]
        var ready: [OpenPayment] = []
        var failure: (any Error)?
        await withTaskGroup(of: (OpenPayment, Timestamp?).self) { group in
            var running = 0
            while true {
                while running < concurrent, !Task.isCancelled, failure == nil {
                    if ready.isEmpty, !due.isEmpty {
                        let some = Array(due.prefix(Self.page))
                        due = due.dropFirst(Self.page)
                        // After a failure, the checks in progress are still completed.
                        do { ready = try await open(some, &schedule) } catch { failure = error }
                        continue
                    }
                    guard let payment = ready.popLast() else { break }
                    group.addTask { (payment, await check(payment)) }
                    running += 1
                }
                guard let (payment, next) = await group.next() else { break }
                running -= 1
                schedule.due[payment] = next
            }
        }
        if let failure { throw failure }
    }

    /// - Returns: The time of the next check; nil when only a new event can lead to one.
    private func check(_ payment: OpenPayment) async -> Timestamp? {
        let sender = Sender(tenant: payment.tenant, actor: Self.actor, correlation: ids.next().text)
        do {
            let (result, status) = try await resolver.check(payment.transaction, sender: sender)
            switch result {
            case .noSuchPayment, .nothingInDoubt: return nil
            case .person, .noGateway:
                return status.flatMap { $0.nextAction(canQuery: false, reverses: resolver.sendsReversal($0)) }
            case .queried(let status), .waiting(let status):
                return status.nextAction(reverses: resolver.sendsReversal(status))
            }
        } catch {
            if !Task.isCancelled {
                logger.warning(
                    "the query of a payment in doubt failed",
                    metadata: [
                        "transaction": "\(payment.transaction.text)",
                        "error": "\(String(reflecting: type(of: error)))",
                    ]
                )
            }
            return wallClock.now().adding(microseconds: Self.retrySeconds * 1_000_000)
        }
    }

    /// The payments among them that are still open. Payments that other servers have resolved are not read again.
    private func open(_ due: [OpenPayment], _ schedule: inout Schedule) async throws -> [OpenPayment] {
        let found = Set(try await doubts.open(among: due))
        for payment in due where !found.contains(payment) { schedule.due[payment] = nil }
        return due.filter { found.contains($0) }
    }

    private func learn(_ schedule: inout Schedule) async throws {
        if schedule.epoch != resolver.epoch {
            schedule = Schedule()
            schedule.epoch = resolver.epoch
        }
        let soon = wallClock.now().adding(microseconds: Self.soonSeconds * 1_000_000)
        while true {
            let changed = try await doubts.open(changedAfter: schedule.seen, limit: Self.page)
            for (payment, position) in changed {
                // A payment that is due soon anyway is not checked earlier because of a query that was just made.
                if schedule.due[payment].map({ $0 > soon }) ?? true { schedule.due[payment] = .earliest }
                schedule.seen = position
            }
            guard changed.count == Self.page else { return }
        }
    }
}
