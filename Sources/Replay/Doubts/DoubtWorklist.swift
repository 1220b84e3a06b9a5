package import Canonical
package import EventLog
import Gateways
import Payments
package import Projections
import ReplayRules

/// A payment in the list of unknown outcomes, with its status.
package struct DoubtItem: Sendable, Hashable {
    /// The reason why an operator must review the payment, or should.
    package struct Attention: Sendable, Hashable {
        package var rule: String
        /// True when nothing happens without an operator; false when gateways are queried anyway.
        package var isNeeded: Bool
    }

    package var payment: PaymentInDoubt
    package var status: DoubtStatus
    /// The names of the gateways that can be queried about it; several when it is unknown which one has the payment.
    package var gateways: [String]
    /// The gateways that can reverse it, and whether the reversal is sent automatically.
    package var reversing: [String]
    package var sendsReversal: Bool
    package var attention: Attention?

    init(_ payment: PaymentInDoubt, _ status: DoubtStatus, _ resolver: OutcomeResolver) {
        self.payment = payment
        self.status = status
        gateways = status.doubt == nil ? [] : resolver.queryable(status).map(\.name)
        reversing = status.reversal == nil ? [] : resolver.reversible(status).map(\.name)
        sendsReversal = status.reversal != nil && resolver.sendsReversal(status)
        attention = Self.attention(
            status,
            canQuery: !gateways.isEmpty,
            reversing,
            sendsReversal,
            without: (resolver.lacksAccount(status) ? FixedRule.noAccount : .noGateway).rawValue
        )
    }

    private static func attention(
        _ status: DoubtStatus,
        canQuery: Bool,
        _ reversing: [String],
        _ sendsReversal: Bool,
        without gateway: String
    ) -> Attention? {
        switch status.reversal?.next {
        case .person(let rule)?: return Attention(rule: rule, isNeeded: true)
        case .send?, .underWay?:
            guard !reversing.isEmpty else { return Attention(rule: gateway, isNeeded: true) }
            guard sendsReversal else { return Attention(rule: FixedRule.reversalOff.rawValue, isNeeded: true) }
        case .acknowledged?, nil: break
        }
        switch status.next {
        case .person(let rule): return Attention(rule: rule, isNeeded: true)
        case .query: guard canQuery else { return Attention(rule: gateway, isNeeded: true) }
        case .underWay, .nothing: break
        }
        if let reversal = status.reversal, reversal.isShown {
            let rule = if case .send(_, let rule) = reversal.next { rule } else { "deadline.reversal" }
            return Attention(rule: rule, isNeeded: false)
        }
        return nil
    }

    /// The time of the server's next action on it; nil when there is none.
    package var nextAt: Timestamp? { status.nextAction(canQuery: !gateways.isEmpty, reverses: sendsReversal) }
}

/// The list of payments in doubt. A read model supplies the payments of a page; their statuses are computed from
/// their events.
package struct DoubtWorklist: Sendable {
    /// The conditions on the list. Everything set must hold.
    package struct Filter: Sendable, Hashable {
        package var payments: DoubtQuery.Filter
        /// Only payments made at least this many seconds ago.
        package var olderThanSeconds: Int64?
        /// Only payments that an operator must or should review, or only the others.
        package var needsPerson: Bool?

        package init(_ payments: DoubtQuery.Filter = .init()) {
            self.payments = payments
            self.payments.includesReversals = true
        }
    }

    /// The most payments that are checked for one page. The need for a review is computed for each payment, so a page
    /// may have fewer items than `limit`, or none, and still not be the last.
    package static let mostExamined = 1_000
    /// The number of streams that are read at a time.
    private static let concurrent = 4

    private let query: DoubtQuery
    private let resolver: OutcomeResolver
    private let clock: any WallClock

    package init(query: DoubtQuery, resolver: OutcomeResolver, clock: any WallClock) {
        self.query = query
        self.resolver = resolver
        self.clock = clock
    }

    /// A page, and the place where the next one begins; nil after the last page.
    ///
    /// - Throws: `RuleBookError`, or the errors of reading.
    package func page(
        of tenant: String,
        matching filter: Filter,
        sortedBy order: DoubtQuery.Order,
        after place: DoubtQuery.Place?,
        limit: Int
    ) async throws -> (items: [DoubtItem], next: DoubtQuery.Place?) {
        let wanted = settled(filter)
        var items: [DoubtItem] = []
        var place = place
        var examined = 0
        while true {
            let count = filter.needsPerson == nil ? limit : min(max(limit, 50), Self.mostExamined - examined)
            var found = try await query.payments(
                of: tenant,
                matching: wanted,
                sortedBy: order,
                after: place,
                limit: count + 1
            )
            let isLast = found.count <= count
            if !isLast { found.removeLast() }
            examined += found.count
            for item in try await statuses(of: found, tenant: tenant) {
                place = item.payment.place(in: order)
                guard filter.needsPerson.map({ $0 == (item.attention != nil) }) ?? true else { continue }
                items.append(item)
                if items.count == limit {
                    let isEnd = isLast && item.payment.transaction == found.last?.transaction
                    return (items, isEnd ? nil : place)
                }
            }
            if isLast { return (items, nil) }
            if filter.needsPerson == nil || examined >= Self.mostExamined { return (items, place) }
        }
    }

    /// The total value at risk of all matching payments, by currency, regardless of `needsPerson`.
    ///
    /// - Throws: `TotalsError.overflow`.
    package func risk(of tenant: String, matching filter: Filter) async throws -> [ValueAtRisk] {
        try await query.risk(of: tenant, matching: settled(filter))
    }

    /// One payment, in doubt or not; nil when there is none.
    ///
    /// - Parameter status: Its status, if the caller has just read it.
    package func item(
        _ transaction: UUID128,
        of tenant: String,
        status known: DoubtStatus? = nil
    ) async throws -> DoubtItem? {
        guard let payment = try await query.payment(transaction, of: tenant) else { return nil }
        var status = known
        if status == nil { status = try await resolver.status(of: transaction, tenant: tenant) }
        return status.map { DoubtItem(payment, $0, resolver) }
    }

    /// One payment as of a past time, by its events up to then and the rules of that day; the gateways are the
    /// current ones.
    ///
    /// - Parameters:
    ///   - payment: The payment as of that time.
    ///   - history: Its events up to that time, in order.
    ///   - time: The past time.
    /// - Throws: `RuleBookError`, and an error for an event that cannot be read.
    package func item(_ payment: PaymentInDoubt, _ history: [RecordedEvent], at time: Timestamp) throws -> DoubtItem {
        DoubtItem(payment, try resolver.status(history, at: time), resolver)
    }

    private func settled(_ filter: Filter) -> DoubtQuery.Filter {
        var payments = filter.payments
        payments.occurredUpTo = filter.olderThanSeconds.map { clock.now().adding(microseconds: -$0 * 1_000_000) }
        return payments
    }

    private func statuses(of payments: [PaymentInDoubt], tenant: String) async throws -> [DoubtItem] {
        var items: [DoubtItem?] = Array(repeating: nil, count: payments.count)
        try await withThrowingTaskGroup(of: (Int, DoubtItem?).self) { group in
            var rest = payments.indices[...]
            func begin(_ index: Int) {
                group.addTask {
                    let payment = payments[index]
                    let status = try await resolver.status(of: payment.transaction, tenant: tenant)
                    return (index, status.map { DoubtItem(payment, $0, resolver) })
                }
            }
            for _ in 0..<Self.concurrent { if let index = rest.popFirst() { begin(index) } }
            for try await (index, item) in group {
                items[index] = item
                if let index = rest.popFirst() { begin(index) }
            }
        }
        return items.compactMap(\.self)
    }
}
