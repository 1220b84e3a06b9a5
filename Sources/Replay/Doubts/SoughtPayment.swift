package import Canonical
package import Payments
package import Vendors

/// What is known here of a payment that a gateway is asked about, to be compared with what the gateway finds.
///
/// What is found is taken for the payment where nothing that both sides know tells them apart. By a name that may have been
/// used more than once, an invoice number or a ReferenceId of a terminal, the amount has to agree besides: a name alone
/// proves nothing.
package struct SoughtPayment: Sendable, Hashable {
    /// How much the name says by which it is asked for.
    package enum Name: Sendable, Hashable {
        /// Daybook made it, and gave it to nothing else.
        case own
        /// The vendor's own id.
        case vendors
        /// An invoice number, or the reference of a till: it may come again on another day, or in another batch.
        case reusable
    }

    package enum Comparison: Sendable, Hashable {
        /// Nothing speaks against it, and as much agrees as the name needs.
        case same
        /// Nothing speaks against it, and too little is told. In words.
        case unproven(String)
        /// It is another one. In words.
        case another(String)
    }

    /// By so much a gateway's time may lie before that of the attempt. Most vendors print no zone: read as UTC, a time west of
    /// it is up to 12 hours early. Five minutes more for clocks that are wrong.
    package static let earlyMicroseconds: Int64 = (12 * 60 + 5) * 60 * 1_000_000

    package var name: Name
    /// What was asked for, with everything within, and the parts of it that some gateways keep apart: tip, cash back, fee.
    package var requested: Money?
    package var parts: [Money]
    /// What it has come to, or may have by a follow-up: other totals it may be told with. Minor units.
    package var totals: Set<Int64>
    /// Whether it is known to be approved, so that only what followed is in doubt.
    package var isApproved: Bool
    package var lastFour: String?
    /// When the attempt began.
    package var begunAt: Timestamp?
    package var invoice: String?
    package var batch: String?
    /// The account of the gateway that is asked.
    package var account: String?

    package init(
        _ name: Name,
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

    // MARK: Comparing

    package func comparison(with found: FoundPayment) -> Comparison {
        let amounts = amounts(of: found)
        let others = [
            amounts.difference,
            Self.difference("account", account, found.account),
            // The token Daybook pays with need not be of the card that was told before.
            name == .own ? nil : Self.difference("last four digits", lastFour, found.lastFour),
            name == .reusable ? Self.difference("invoice", invoice, found.invoice) : nil,
            name == .reusable ? Self.difference("batch", batch, found.batch) : nil,
            time(of: found),
        ].compactMap(\.self)
        guard others.isEmpty else {
            return .another("Another transaction was found: \(others.joined(separator: "; ")).")
        }
        guard name != .reusable || amounts.agree else {
            return .unproven("A name that may be used again was found, without an amount that agrees.")
        }
        return .same
    }

    private static func difference(_ what: String, _ ours: String?, _ theirs: String?) -> String? {
        guard let ours, let theirs, !theirs.isEmpty, !ours.hasSameUTF8(as: theirs) else { return nil }
        return "\(what) \(theirs) and not \(ours)"
    }

    private func time(of found: FoundPayment) -> String? {
        guard let at = found.at, let begunAt, begunAt.microseconds(since: at) > Self.earlyMicroseconds else {
            return nil
        }
        return "made at \(at.rfc3339), and not after \(begunAt.rfc3339)"
    }

    /// What was asked for has to be the same, where that is told; what was approved may be less, and no more.
    private func amounts(of found: FoundPayment) -> (difference: String?, agree: Bool) {
        guard let requested else { return (nil, false) }
        let reported = [found.requested, found.approved?.total].compactMap(\.self)
        if let other = reported.first(where: { $0.currency != requested.currency }) {
            return ("\(Self.text(other)) in another currency than \(Self.text(requested))", false)
        }
        let ours = Self.totals(of: requested.value, without: parts.map(\.value)).union(totals)
        if let asked = found.requested, !ours.contains(asked.value) {
            return ("\(Self.text(asked)) asked for and not \(Self.text(requested))", false)
        }
        guard let approved = found.approved else { return (nil, found.requested != nil) }
        // Of what is known to be approved a follow-up may have left another amount.
        if isApproved, name != .reusable { return (nil, true) }
        let within = [approved.tip, approved.fee, approved.cashback].compactMap { $0?.value }
        let theirs = Self.totals(of: approved.total.value, without: within)
        if !theirs.isDisjoint(with: ours) { return (nil, true) }
        let isBounded = theirs.min() ?? .max <= ours.max() ?? requested.value
        // A smaller amount may be a part of it, or another payment: without what was asked for only a good name tells.
        guard isBounded, found.requested != nil || name != .reusable else {
            return ("\(Self.text(approved.total)) approved and not \(Self.text(requested))", false)
        }
        return (nil, true)
    }

    /// A total, and what is left of it without some of its parts.
    private static func totals(of whole: Int64, without parts: [Int64]) -> Set<Int64> {
        var totals: Set<Int64> = [whole]
        for part in parts where part > 0 {
            for total in totals where total >= part { totals.insert(total - part) }
        }
        return totals
    }

    private static func text(_ money: Money) -> String { "\(money.decimalText) \(money.currency.alpha)" }
}

extension SoughtPayment {
    /// - Parameters:
    ///   - sent: The call by which Daybook asked for it, or for what followed it, where nobody knows what came of that.
    ///   - begunAt: When the attempt began, by the clock of whoever told of it.
    ///   - invoice: The invoice number that is asked by; nil where the name is a better one.
    ///   - account: That of the gateway that is asked.
    init(
        _ state: TransactionState,
        sent: GatewayReport?,
        begunAt: Timestamp?,
        invoice: String?,
        account: String?
    ) {
        let isOwn = sent.map { $0.operation == .sale || $0.operation == .authorization } ?? false
        let payment = isOwn ? sent : nil
        let name: Name =
            switch state.vendor {
            case .handpoint?: isOwn ? .own : .vendors
            case .dejavoo?: isOwn ? .own : .reusable
            default: invoice == nil ? .vendors : payment != nil && payment?.references.invoice == nil ? .own : .reusable
            }
        self.init(
            name,
            requested: payment?.amount ?? state.requested.flatMap { state.money($0) },
            parts: payment == nil
                ? [state.breakdown?.tip, state.breakdown?.cashback, state.breakdown?.fee].compactMap(\.self)
                : [payment?.tip].compactMap(\.self),
            isApproved: state.hasApproval,
            lastFour: state.card?.lastFour,
            begunAt: payment?.at ?? [begunAt, state.startedAt].compactMap(\.self).min(),
            invoice: invoice,
            account: account
        )
        if state.hasApproval {
            totals = Set([state.approved, state.authorized, state.captured, sent?.amount?.value].compactMap(\.self))
        } else {
            batch = state.batchNumber
        }
    }
}

extension TransactionState {
    /// The batch that a document named. SPIn's ids of payments have it in the middle: terminal, batch, reference.
    fileprivate var batchNumber: String? {
        if let batch = captures.lazy.compactMap(\.batch).first { return batch.number }
        guard vendor == .dejavoo, let parts = references.vendorTransaction?.split(separator: "/"), parts.count == 3
        else { return nil }
        return String(parts[1])
    }
}
