import Canonical
import EventLog
import Payments
import Postgres
import Projections
import ReplayRules

/// Looks whether an order was paid under another stream, before it is charged again.
struct OrderDuplicates: Sendable {
    private let query: OrderDuplicateQuery
    private let reader: EventReader

    init(pool: PostgresPool, reader: EventReader) {
        query = OrderDuplicateQuery(pool: pool)
        self.reader = reader
    }

    /// What speaks against asking for payments again, by payment, as far as the read model has come.
    ///
    /// - Throws: What reading throws.
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

    /// Attempts with the card of each payment that other payments tell of, as far as caps count them.
    ///
    /// - Throws: What reading throws.
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

    /// The names that a call which charges takes, so that of two about one order, on whatever streams, one gets in.
    ///
    /// Each name by which siblings are found is numbered: 0 for the first call, 1 for the next. A call takes the numbers
    /// that were free before it looked for siblings. Who took them meanwhile was not there to be seen, and then this
    /// one is not recorded, and not sent; whoever took them earlier is.
    ///
    /// - Throws: What reading throws.
    func claims(_ state: TransactionState, tenant: String) async throws -> [String] {
        try await NumberedClaims(reader: reader).free(Self.names(state), tenant: tenant)
    }

    /// Coarser than what siblings are found by: the merchant and the brand need not be known of both.
    private static func names(_ state: TransactionState) -> [String] {
        var names: [String] = []
        func add(_ kind: String, _ parts: [String]) {
            let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
            names.append("replay-order:\(kind):" + ReferenceKey.bounded(text, toBytes: 0))
        }
        if let reference = state.reference { add("reference", [reference]) }
        if let invoice = state.references.invoice { add("invoice", [invoice]) }
        if let lastFour = state.card?.lastFour, let amount = state.requested, let currency = state.currency {
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
