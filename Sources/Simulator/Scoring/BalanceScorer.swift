import Canonical

/// Compares the balances of a ledger's journal with the truth: every account, part and currency at the end of every
/// day.
///
/// Left out is the money of payments that the ledger holds in doubt, if their evidence never arrived or leaves the
/// outcome open. Of all others one minor unit is a difference.
package struct BalanceScorer: Sendable {
    private let truth: TruthFile
    private let state: BalanceTruth.State
    private var payments: [String: [LedgerPayment]] = [:]
    /// Payments by the gateway's id, for results that arrive under the next sale.
    private var recovered: [String: [LedgerPayment]]
    private var answers: [String?: [AccountName: Int64]] = [:]

    package init(_ truth: TruthFile, _ state: BalanceTruth.State) {
        self.truth = truth
        self.state = state
        let ids = truth.payments.filter(Self.isRecovered).compactMap { $0.id("gatewayTransaction") }
        recovered = Dictionary(ids.map { ($0, []) }, uniquingKeysWith: { first, _ in first })
    }

    private static func isRecovered(_ payment: PaymentTruth) -> Bool {
        payment.evidence == .indirect && payment.troubles.contains(.recoveredLater)
    }

    /// Whether the truth has balances in the state.
    package var isComparable: Bool { truth.balances.contains { $0.state == state } }

    /// The days of which the balances are to be read: those that the truth lists and the one before them; at the end
    /// nil, for all days.
    package var days: [String?] {
        let named = Set(truth.balances.lazy.filter { $0.state == state }.compactMap(\.day)).sorted()
        let before = named.first.flatMap(Self.dayBefore).map { [$0] } ?? []
        return (before + named).map(Optional.some) + [nil]
    }

    private static func dayBefore(_ day: String) -> String? {
        Timestamp(rfc3339: "\(day)T00:00:00Z")
            .map { String($0.adding(microseconds: -86_400_000_000).rfc3339.prefix(10)) }
    }

    /// Adds a payment of the ledger.
    package mutating func add(_ payment: LedgerPayment) {
        if let reference = payment.reference { payments[reference, default: []].append(payment) }
        if let id = payment.gatewayTransaction, recovered[id] != nil { recovered[id]?.append(payment) }
    }

    /// Adds the ledger's balances.
    ///
    /// - Parameter day: The last business day of their entries; nil: all days.
    package mutating func add(_ balances: some Sequence<LedgerBalance>, through day: String?) {
        var sums = answers[day] ?? [:]
        for balance in balances { sums.add(balance.amount, to: balance.account) }
        answers[day] = sums
    }

    package func score() -> BalanceScore {
        var score = BalanceScore()
        let doubtful = truth.payments.filter(isHeldInDoubt)
        score.paymentsInDoubt = doubtful.count
        for day in days {
            guard let found = answers[day] else {
                score.unread.append(day ?? "all days")
                continue
            }
            let actual = actual(on: day)
            let inDoubt = BalanceTruth.sums(of: doubtful, through: day)
            for account in Set(actual.keys).union(found.keys).union(inDoubt.keys).sorted() {
                score.take(
                    BalanceScore.Comparison(
                        day: day,
                        account: account,
                        truth: actual[account] ?? 0,
                        inDoubt: inDoubt[account] ?? 0,
                        found: found[account] ?? 0
                    )
                )
            }
        }
        score.sort()
        return score
    }

    private func actual(on day: String?) -> [AccountName: Int64] {
        var listed: [AccountName: Int64] = [:]
        for one in truth.balances where one.state == state && one.day == day { listed[one.account] = one.amount }
        // Of the day before those that are listed.
        return listed.isEmpty ? BalanceTruth.sums(of: truth.payments, through: day) : listed
    }

    /// Whether the ledger holds a payment in doubt and knows no money of it, where its documents prove nothing.
    private func isHeldInDoubt(_ truth: PaymentTruth) -> Bool {
        guard truth.evidence != .complete else { return false }
        let id = truth.id("gatewayTransaction")
        // A result that arrived under the next sale is the earlier sale's, in whatever payment it is kept.
        let own = (payments[truth.reference] ?? []).filter { payment in
            payment.gatewayTransaction.map { recovered[$0] == nil || $0 == id } ?? true
        }
        guard !own.isEmpty, own.allSatisfy({ $0.isUndecided && !$0.hasMoney }) else { return false }
        return !Self.isRecovered(truth) || !(id.flatMap { recovered[$0] } ?? []).contains(where: \.hasMoney)
    }
}
