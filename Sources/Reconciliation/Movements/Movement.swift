import Canonical
import Payments
import Projections

/// One row of the read model `movements`.
struct Movement {
    enum Kind: String {
        case sale, capture, refund, credit
        /// A payment without money: declined, voided, in doubt or only authorized.
        case none
    }

    /// The line's name within the payment, as in `BatchMember`; empty for a payment without money.
    var line: String
    var type: Kind
    /// Minor units, positive when the merchant receives the money.
    var amount: Int64
    var at: Timestamp
    var localAt: LocalTime?
    var references: References
    /// For a refund: the gateway's id of the refunded payment.
    var origin: String?
    var batch: String?
    var brand: String?
    var lastFour: String?
    /// The tender, in lower case.
    var tender: String?
    /// The app's and the gateway's name of the terminal that moved the money; empty if it is unknown.
    var terminals: [String] = []

    /// The parts of a payment that a statement may list. Empty when no currency was reported, and for
    /// payments at a vendor's test system.
    static func movements(of state: TransactionState, begunAt: Timestamp) -> [Movement] {
        guard state.currency != nil, !state.isTest else { return [] }
        var movements = BatchMember.members(of: state).compactMap { member -> Movement? in
            let net = member.amount - member.voided
            guard net > 0 else { return nil }
            let refund = state.refunds.first { "refund:\($0.id)".hasSameUTF8(as: member.line) }
            let capture = state.captures.first { "capture:\($0.id)".hasSameUTF8(as: member.line) }
            let tender = capture.flatMap { one in state.tenders.entries.first { $0.captureID.hasSameUTF8(as: one.id) } }
            let isReturn = member.type == .refund || member.type == .credit
            return Movement(
                line: member.line,
                type: Kind(member.type),
                amount: isReturn ? -net : net,
                at: member.at == .earliest ? begunAt : member.at,
                localAt: member.localAt,
                references: refund.map { own(of: $0, in: state) } ?? own(of: capture, tender, in: state),
                origin: refund == nil ? nil : state.references.gatewayTransaction,
                batch: member.batch?.number,
                brand: member.brand,
                lastFour: tender?.account?.lastFour ?? state.card?.lastFour,
                tender: member.tender?.lowercased(),
                terminals: refund.map { terminalNames(of: $0, in: state) }
                    ?? terminalNames(capture?.own?.terminal ?? state.references.terminal, in: state)
            )
        }
        if movements.isEmpty {
            movements.append(
                Movement(
                    line: "",
                    type: .none,
                    amount: state.headlineAmount.flatMap { $0 == 0 ? nil : $0 } ?? state.requested ?? 0,
                    at: begunAt,
                    localAt: state.times.earliest.local,
                    references: state.references,
                    batch: state.batchNumbers.last,
                    brand: state.card?.brand,
                    lastFour: state.card?.lastFour,
                    tender: state.identity.tender?.lowercased(),
                    // Until the gateway answers, only the app's name is known, and files have the other one.
                    terminals: state.references.terminal.map { terminalNames($0, in: state) } ?? []
                )
            )
        }
        return movements
    }

    /// A capture may have its own ids, and each tender of a payment has its own authorization.
    private static func own(of capture: CaptureEntry?, _ tender: TenderEntry?, in state: TransactionState) -> References
    {
        var references = capture?.own?.filled(from: state.references) ?? state.references
        if let authorization = tender?.marks?.authorization { references.authorizationCode = authorization }
        return references
    }

    /// A refund has its own ids. Invoice, merchant and terminal come from its payment when the refund does not name
    /// them.
    private static func own(of refund: ReturnEntry, in state: TransactionState) -> References {
        var references = refund.references
        references.invoice = references.invoice ?? state.references.invoice
        references.merchant = references.merchant ?? state.references.merchant
        references.terminal = references.terminal ?? state.references.terminal
        return references
    }

    /// - Parameter reported: The gateway's name.
    private static func terminalNames(_ reported: String?, in state: TransactionState) -> [String] {
        [state.identity.terminal, reported].compactMap(\.self)
    }

    /// A refund that names no terminal may have been made at another one than its payment.
    private static func terminalNames(of refund: ReturnEntry, in state: TransactionState) -> [String] {
        guard let own = refund.references.terminal else { return [] }
        let names = terminalNames(state.references.terminal, in: state)
        return names.contains { $0.hasSameUTF8(as: own) } ? names : [own]
    }
}

extension Movement.Kind {
    fileprivate init(_ member: BatchMember.Kind) {
        switch member {
        case .sale: self = .sale
        case .capture: self = .capture
        case .refund: self = .refund
        case .credit: self = .credit
        }
    }
}
