package import Canonical
import Crypto
package import EventLog
package import Gateways
package import Intake
import Payments
package import Projections
import Redaction
import ReplayRules

/// Makes plans: judges payments page by page and records the judgements.
package struct ReplayPlanner: Sendable {
    /// The result of planning.
    package struct Outcome: Sendable, Hashable {
        package var plan: UUID128
        package var position: Int64
        /// True when the same plan was recorded before under the same key.
        package var isDuplicate: Bool
    }

    /// The reason why there is no plan.
    package enum Refusal: Error, Sendable, Hashable {
        case noSuchTransaction(UUID128)
        /// More than `mostItems`.
        case tooLarge
        /// Nothing matches.
        case nothingFound
        /// The read model has not caught up with the log.
        case behind
    }

    /// The most items of a plan, because all of them are held in memory.
    package static let mostItems = 50_000
    private static let page = 500
    /// The number of item events in one append.
    private static let chunks = 4

    private let sequencer: Sequencer
    private let reader: EventReader
    private let readModels: ReadModels
    private let transactions: TransactionQuery
    private let gateways: GatewayRegistry
    private let vault: CardVault
    private let orderDuplicates: OrderDuplicates
    private let books: RuleBooks
    private let ids: any UUIDGenerator
    private let clock: any WallClock

    package init(
        sequencer: Sequencer,
        reader: EventReader,
        readModels: ReadModels,
        transactions: TransactionQuery,
        gateways: GatewayRegistry,
        vault: CardVault,
        books: RuleBooks,
        ids: any UUIDGenerator,
        clock: any WallClock
    ) {
        self.sequencer = sequencer
        self.reader = reader
        self.readModels = readModels
        self.transactions = transactions
        self.gateways = gateways
        self.vault = vault
        orderDuplicates = OrderDuplicates(pool: vault.pool, reader: reader)
        self.books = books
        self.ids = ids
        self.clock = clock
    }

    /// Makes a plan from the current log.
    ///
    /// - Parameters:
    ///   - idempotencyKey: The sender's name of the request.
    ///   - waitLimit: The most time to wait for the read model.
    /// - Throws: `Refusal`; `IntakeProblem` when the log rejects the events, or the key was used for another request;
    ///   `RuleBookError`; the errors of reading the log.
    package func plan(
        _ asked: PlanRequest,
        idempotencyKey: String? = nil,
        sender: Sender,
        waitLimit: Duration = .seconds(10)
    ) async throws -> Outcome {
        let key = idempotencyKey.map {
            IdempotencyKey(
                key: Self.digest(["replay-plan", $0]),
                request: Self.digest([sender.actor] + asked.request)
            )
        }
        if let earlier = try await earlier(key, of: sender.tenant) { return earlier }
        let covers = try await reader.head()
        guard try await readModels.wait(for: "transactions", toReach: covers, timeout: waitLimit) else {
            throw Refusal.behind
        }
        let now = clock.now()
        let book = try books.book(at: now)
        let judge = ReplayJudge(gateways: gateways, book: book, time: now)
        let items = try await items(asked, judge, of: sender.tenant)
        guard !items.isEmpty else { throw Refusal.nothingFound }
        var filter: String?
        var named: [UUID128]?
        switch asked.scope {
        case .filter(_, let text): filter = text
        case .transactions(let ids): named = ids
        }
        let planning = ReplayPlanning(
            filter: filter,
            transactions: named,
            reason: asked.reason,
            planner: ReplayActor(name: sender.actor, holder: sender.holder),
            book: RuleBookReference(book),
            covers: covers,
            plannedAt: now,
            expiresAt: now.adding(microseconds: asked.lifetimeSeconds * 1_000_000),
            items: Int64(items.count),
            totals: ReplayTotal.of(items)
        )
        return try await record(planning, items, key, sender)
    }

    // MARK: Judgement

    private func items(_ asked: PlanRequest, _ judge: ReplayJudge, of tenant: String) async throws -> [ReplayItem] {
        var items: [ReplayItem] = []
        switch asked.scope {
        case .transactions(let ids):
            for start in stride(from: 0, to: ids.count, by: Self.page) {
                let page = Array(ids[start..<min(start + Self.page, ids.count)])
                let versions = try await reader.versions(ofTransactions: page, tenant: tenant)
                if let missing = page.first(where: { versions[$0] == nil }) {
                    throw Refusal.noSuchTransaction(missing)
                }
                try await judgePage(page.map { ($0, versions[$0] ?? 0) }, asked, judge, tenant, into: &items)
            }
        case .filter(var filter, _):
            // No gateway that is called has the payments of a test system.
            filter.isTest = filter.isTest ?? false
            var place: TransactionPlace?
            while true {
                let found = try await transactions.transactions(
                    of: tenant,
                    matching: filter,
                    after: place,
                    limit: Self.page
                )
                try await judgePage(found.map { ($0.id, $0.version) }, asked, judge, tenant, into: &items)
                guard found.count == Self.page, let last = found.last else { break }
                place = last.place
            }
        }
        return items
    }

    private func judgePage(
        _ page: [(id: UUID128, version: Int64)],
        _ asked: PlanRequest,
        _ judge: ReplayJudge,
        _ tenant: String,
        into items: inout [ReplayItem]
    ) async throws {
        let prefixes = page.map {
            StreamPrefix(tenant: tenant, stream: StreamName.transaction($0.id), count: $0.version)
        }
        let streams = try await reader.prefixes(prefixes)
        let held = try await vault.held(page.map(\.id), tenant: tenant)
        var judged: [(one: (id: UUID128, version: Int64), judgement: ReplayJudge.Judgement)] = []
        let tried = try await orderDuplicates.attempts(
            beside: page.map(\.id),
            tenant: tenant,
            book: judge.book,
            now: judge.time
        )
        for (one, prefix) in zip(page, prefixes) {
            let history = streams[prefix] ?? []
            let judgements = try judge.judge(
                history,
                for: asked,
                hasToken: held[one.id] != nil,
                beside: tried[one.id] ?? []
            )
            for judgement in judgements { judged.append((one, judgement)) }
        }
        let charges = judged.filter { $0.judgement.isCharge }.map(\.one.id)
        let against = try await orderDuplicates.rulings(
            against: charges,
            tenant: tenant,
            book: judge.book,
            now: judge.time
        )
        for (one, judgement) in judged {
            guard items.count < Self.mostItems else { throw Refusal.tooLarge }
            items.append(
                ReplayItem(
                    number: Int64(items.count + 1),
                    transaction: one.id,
                    version: one.version,
                    request: judgement.request,
                    card: judgement.isCharge ? held[one.id] : nil,
                    ruling: (judgement.isCharge ? against[one.id] : nil) ?? judgement.ruling
                )
            )
        }
    }

    // MARK: Recording

    /// Small plans are one append. For a larger plan, the last append carries the key, so that an interrupted plan
    /// does not count as complete.
    private func record(
        _ planning: ReplayPlanning,
        _ items: [ReplayItem],
        _ key: IdempotencyKey?,
        _ sender: Sender
    ) async throws -> Outcome {
        let id = ids.next()
        let events = [ReplayEvent.planned(planning)] + ReplayItems.chunks(items).map { .itemsPlanned($0) }
        var version: Int64 = 0
        for start in stride(from: 0, to: events.count, by: Self.chunks) {
            let part = events[start..<min(start + Self.chunks, events.count)]
            let isLast = start + part.count == events.count
            let item = AppendItem(
                tenant: sender.tenant,
                stream: StreamName.replay(id),
                expected: .version(version),
                idempotency: isLast ? [key].compactMap(\.self) : [],
                events: try part.map { try ProposedEvent($0, id: ids.next(), at: clock.now(), by: sender) }
            )
            let result: AppendResult
            do {
                result = try await sequencer.append(item)
            } catch {
                throw IntakeProblem(appending: error)
            }
            switch result {
            case .appended(let range):
                version += Int64(part.count)
                if isLast { return Outcome(plan: id, position: range.lastPosition, isDuplicate: false) }
            case .duplicate, .mismatch:
                // Another request with the same key was recorded meanwhile. The events of this one remain a draft.
                if let earlier = try await earlier(key, of: sender.tenant) { return earlier }
                throw IntakeProblem(appending: AppendError(.outcomeUnknown))
            case .conflict, .claimed: throw IntakeProblem(appending: AppendError(.refused))
            }
        }
        throw IntakeProblem(appending: AppendError(.refused))
    }

    private func earlier(_ key: IdempotencyKey?, of tenant: String) async throws -> Outcome? {
        guard let key, let found = try await reader.appended(under: key.key, of: tenant) else { return nil }
        guard found.request == key.request else { throw IntakeProblem.idempotencyMismatch }
        let position = found.range.lastPosition
        guard let event = try await reader.event(at: position, of: tenant), let id = StreamName.replayID(event.stream)
        else { throw IntakeProblem(appending: AppendError(.outcomeUnknown)) }
        return Outcome(plan: id, position: position, isDuplicate: true)
    }

    /// SHA-256 of parts, each preceded by its length, so that different parts cannot yield the same text.
    private static func digest(_ parts: [String]) -> [UInt8] {
        Array(SHA256.hash(data: Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8)))
    }
}

extension EventReader {
    /// The versions of payments' streams; without streams that do not exist.
    package func versions(ofTransactions ids: [UUID128], tenant: String) async throws -> [UUID128: Int64] {
        let names = Dictionary(ids.map { (StreamName.transaction($0), $0) }, uniquingKeysWith: { first, _ in first })
        var versions: [UUID128: Int64] = [:]
        for (stream, version) in try await self.versions(of: Array(names.keys), tenant: tenant) {
            if let id = names[stream] { versions[id] = version }
        }
        return versions
    }
}
