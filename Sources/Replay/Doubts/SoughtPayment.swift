package import Canonical
package import Payments
package import Vendors

/// Daybook's knowledge of a payment that a gateway is queried about, to compare with the gateway's result.
///
/// A found transaction counts as the payment unless a value known on both sides differs. For a name that may have
/// been used more than once, such as an invoice number or a terminal's ReferenceId, the amount must agree as well:
/// such a name alone proves nothing.
package struct SoughtPayment: Sendable, Hashable {
    package enum Comparison: Sendable, Hashable {
        /// Nothing differs, and as much agrees as the name requires.
        case same
        /// Nothing differs, but too little is known. With the reason in words.
        case unproven(String)
        /// It is another transaction. With what differs in words, without the values of the other transaction.
        case another(String)
    }

    /// How well the name identifies the payment that the gateway is queried by.
    package var name: LookupProof
    /// The requested total, and the parts of it that some gateways report separately: tip, cash back, fee.
    package var requested: Money?
    package var parts: [Money]
    /// Other possible totals, in minor units: the amount that the payment has reached, or may have reached by a
    /// follow-up.
    package var totals: Set<Int64>
    /// Whether the payment is known to be approved, so that only a follow-up is in doubt.
    package var isApproved: Bool
    package var lastFour: String?
    /// The time at which the attempt began.
    package var begunAt: Timestamp?
    /// The earliest time that the payment's terminal or gateway printed, of the same clock as the found one.
    package var begunLocal: LocalTime?
    package var invoice: String?
    package var batch: String?
    /// The account of the queried gateway.
    package var account: String?

    package init(
        _ name: LookupProof,
        requested: Money? = nil,
        parts: [Money] = [],
        totals: Set<Int64> = [],
        isApproved: Bool = false,
        lastFour: String? = nil,
        begunAt: Timestamp? = nil,
        invoice: String? = nil,
        batch: String? = nil,
        account: String? = nil
    ) {
        self.name = name
        self.requested = requested
        self.parts = parts
        self.totals = totals
        self.isApproved = isApproved
        self.lastFour = lastFour
        self.begunAt = begunAt
        self.invoice = invoice
        self.batch = batch
        self.account = account
    }

    // MARK: Comparison

    package func comparison(with found: FoundPayment) -> Comparison {
        let amounts = amounts(of: found)
        let others = [
            amounts.difference,
            Self.difference("account", account, found.account),
            // Daybook's token may stand for another card than the one reported before.
            name == .own ? nil : Self.difference("last four digits", lastFour, found.lastFour),
            name == .reusable ? Self.difference("invoice", invoice, found.invoice) : nil,
            name == .reusable ? Self.difference("batch", batch, found.batch) : nil,
            time(of: found),
        ].compactMap(\.self)
        guard others.isEmpty else {
            return .another("Another transaction was found. Different: \(others.joined(separator: ", ")).")
        }
        guard name != .reusable || amounts.agree else {
            return .unproven("A name that may be used again was found, without an amount that agrees.")
        }
        return .same
    }

    private static func difference(_ what: String, _ ours: String?, _ theirs: String?) -> String? {
        guard let ours, let theirs, !theirs.isEmpty, !ours.hasSameUTF8(as: theirs) else { return nil }
        return what
    }

    private func time(of found: FoundPayment) -> String? {
        guard let at = found.at else { return nil }
        let early = -PlausibleTime.earlyMicroseconds
        if case .local(let at) = at, let begunLocal {
            return at.asUTC < begunLocal.asUTC.adding(microseconds: early) ? "time" : nil
        }
        guard let begunAt else { return nil }
        return at.isBefore(.instant(begunAt.adding(microseconds: early))) ? "time" : nil
    }

    /// A reported requested amount must be equal; an approved amount may be smaller, but not larger.
    private func amounts(of found: FoundPayment) -> (difference: String?, agree: Bool) {
        guard let requested else { return (nil, false) }
        let reported = [found.requested, found.approved?.total].compactMap(\.self)
        if reported.contains(where: { $0.currency != requested.currency }) { return ("currency", false) }
        let ours = Self.totals(of: requested.value, without: parts.map(\.value)).union(totals)
        if let asked = found.requested, !ours.contains(asked.value) {
            return ("requested amount", false)
        }
        guard let approved = found.approved else { return (nil, found.requested != nil) }
        // After a known approval, a follow-up may have changed the amount.
        if isApproved, name != .reusable { return (nil, true) }
        let within = [approved.tip, approved.fee, approved.cashback].compactMap { $0?.value }
        let theirs = Self.totals(of: approved.total.value, without: within)
        if !theirs.isDisjoint(with: ours) { return (nil, true) }
        let isBounded = theirs.min() ?? .max <= ours.max() ?? requested.value
        // A smaller amount may be part of the payment or another payment. Without the requested amount, only a unique
        // name decides.
        guard isBounded, found.requested != nil || name != .reusable else {
            return ("approved amount", false)
        }
        return (nil, true)
    }

    /// A total, and the totals without some of its parts.
    private static func totals(of whole: Int64, without parts: [Int64]) -> Set<Int64> {
        var totals: Set<Int64> = [whole]
        for part in parts where part > 0 {
            for total in totals where total >= part { totals.insert(total - part) }
        }
        return totals
    }
}

extension SoughtPayment {
    /// - Parameters:
    ///   - sent: Daybook's call for the payment or a follow-up whose outcome is unknown.
    ///   - begunAt: The time at which the attempt began, by the sender's clock.
    ///   - invoice: The invoice number in the query; nil when the query uses a better name.
    ///   - account: The account of the queried gateway.
    init(
        _ state: TransactionState,
        sent: GatewayReport?,
        begunAt: Timestamp?,
        invoice: String?,
        account: String?
    ) {
        let isOwn = sent.map { $0.operation == .sale || $0.operation == .authorization } ?? false
        let payment = isOwn ? sent : nil
        let known = invoice.map { _ in
            payment != nil && payment?.references.invoice == nil ? LookupInvoice.own : .reported
        }
        let name =
            state.identity.vendor.map { VendorAdapters.adapter(of: $0).lookupProof(isOwn: isOwn, invoice: known) }
            ?? LookupInvoice.proof(known)
        self.init(
            name,
            requested: payment?.amount ?? state.authorization.requested.flatMap { state.money($0) },
            parts: payment == nil
                ? [
                    state.authorization.breakdown?.tip, state.authorization.breakdown?.cashback,
                    state.authorization.breakdown?.fee,
                ].compactMap(\.self)
                : [payment?.tip].compactMap(\.self),
            isApproved: state.hasApproval,
            lastFour: state.card?.lastFour,
            // A payment may be recorded long after its terminal printed the time.
            begunAt: payment?.at
                ?? [begunAt, state.times.earliest.instant, state.times.earliest.local?.earliestInstant]
                .compactMap(\.self).min(),
            invoice: invoice,
            account: account
        )
        begunLocal = payment == nil ? state.times.earliest.local : nil
        if let vendor = state.identity.vendor {
            let tip = payment.map(\.tip) ?? state.authorization.breakdown?.tip
            totals = Self.totals(of: requested, andTip: tip, at: vendor)
        }
        if state.hasApproval {
            let all = [state.authorization.approved, state.authorized, state.captured, sent?.amount?.value]
            totals.formUnion(all.compactMap(\.self))
        } else {
            batch = state.batchNumber
        }
    }

    /// The total with the tip added, for a vendor whose tip may be beside the amount; else nothing.
    static func totals(of amount: Money?, andTip tip: Money?, at vendor: Vendor) -> Set<Int64> {
        guard VendorAdapters.adapter(of: vendor).tipMayBeOnTop, let amount, let tip,
            let sum = try? amount.adding(tip)
        else { return [] }
        return [sum.value]
    }
}

extension TransactionState {
    /// The batch that a document named, or that the vendor's id of the payment contains.
    fileprivate var batchNumber: String? {
        if let batch = captures.lazy.compactMap(\.batch).first { return batch.number }
        guard let vendor = identity.vendor, let transaction = references.vendorTransaction else { return nil }
        return VendorAdapters.adapter(of: vendor).batchNumber(inTransaction: transaction)
    }
}
