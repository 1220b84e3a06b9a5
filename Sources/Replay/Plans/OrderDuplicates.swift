import Canonical
import EventLog
import Intake
import Payments
import Postgres
import Projections
import ReplayRules

/// Checks whether an order was paid on another stream, before it is charged again.
struct OrderDuplicates: Sendable {
    private let query: OrderDuplicateQuery
    private let reader: EventReader

    init(pool: PostgresPool, reader: EventReader) {
        query = OrderDuplicateQuery(pool: pool)
        self.reader = reader
    }

    /// The rulings against resubmitting payments, by payment, as far as the read model has progressed.
    ///
    /// - Throws: The errors of reading.
    func rulings(
        against transactions: [UUID128],
        tenant: String,
        book: RuleBook,
        now: Timestamp
    ) async throws -> [UUID128: Ruling] {
        var windows: [String: Int64] = [:]
        for vendor in Vendor.allCases {
            windows[vendor.rawValue] = book.limit("window.duplicate", vendor.rawValue)?.number
        }
        let found = try await query.orderDuplicates(
            of: transactions,
            tenant: tenant,
            windows: windows,
            standard: book.limit("window.duplicate")?.number ?? Treatment.longestWait,
            now: now
        )
        return Dictionary(grouping: found, by: \.of).mapValues { orderDuplicates in
            Ruling(
                .needsPerson,
                rule: orderDuplicates.first?.name.rule.rawValue ?? ReplayRule.linkedPayment.rawValue,
                evidence: orderDuplicates.map(\.lastPosition)
            )
        }
    }

    /// Attempts with each payment's card on other payments, as far as caps count them.
    ///
    /// - Throws: The errors of reading.
    func attempts(
        beside transactions: [UUID128],
        tenant: String,
        book: RuleBook,
        now: Timestamp
    ) async throws -> [UUID128: [AttemptEvidence]] {
        let schemes = [nil] + CardScheme.allCases.map(\.rawValue)
        let most = schemes.compactMap { book.limit("cap.attempts", $0)?.number }.max() ?? 0
        guard most > 0, let period = book.limit("cap.period")?.number else { return [:] }
        return try await query.declines(
            beside: transactions,
            tenant: tenant,
            since: now.adding(microseconds: -period * 1_000_000),
            most: most
        ).mapValues { declines in
            declines.map { AttemptEvidence(position: $0.position, at: $0.at, operation: .sale, isThisPayment: false) }
        }
    }

    // MARK: Claims

    /// The names that a charging call claims, so that of two calls for the same order, on any streams, one succeeds.
    ///
    /// Each name by which duplicates are found is numbered: 0 for the first call, 1 for the next. A call claims the
    /// numbers that were free before it searched for duplicates. If another call claimed them since, the search
    /// missed that call, and this one is neither recorded nor sent. Calls that claimed earlier numbers were found by
    /// the search.
    ///
    /// - Throws: The errors of reading.
    func claims(_ state: TransactionState, tenant: String) async throws -> [String] {
        try await NumberedClaims(reader: reader).free(Self.names(state), tenant: tenant)
    }

    /// Coarser than the search for duplicates, because the merchant and the brand may be unknown for one of the two.
    private static func names(_ state: TransactionState) -> [String] {
        var names: [String] = []
        func add(_ kind: String, _ parts: [String]) {
            let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
            names.append("replay-order:\(kind):" + ReferenceKey.bounded(text, toBytes: 0))
        }
        if let reference = state.identity.reference { add("reference", [reference]) }
        if let invoice = state.references.invoice { add("invoice", [invoice]) }
        if let lastFour = state.card?.lastFour, let amount = state.authorization.requested,
            let currency = state.currency
        {
            add("card", [lastFour, "\(amount)", currency.alpha])
        }
        return names
    }
}

extension OrderDuplicate.Name {
    fileprivate var rule: ReplayRule {
        switch self {
        case .linked: .linkedPayment
        case .reference: .sameReference
        case .invoice: .sameInvoice
        case .card: .sameCard
        }
    }
}
