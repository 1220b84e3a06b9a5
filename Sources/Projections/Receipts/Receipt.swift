package import Canonical
package import Payments

/// What a receipt of a payment says. Everything on it may be shown to the cardholder.
package struct Receipt: Sendable, Hashable, Codable {
    package var transaction: String
    package var version: Int64
    package var status: TransactionStatus
    package var operation: Operation?
    package var merchant: String?
    package var terminal: String?
    package var invoice: String?
    package var at: Timestamp?
    package var card: CardPresentation?
    package var authorizationCode: String?
    package var gatewayTransaction: String?
    package var retrievalReference: String?
    package var response: Response?
    package var requested: Money?
    package var authorized: Money?
    /// What the cardholder pays: captured or credited, else authorised.
    package var total: Money?
    package var base: Money?
    package var tip: Money?
    package var tax: Money?
    package var fee: Money?
    package var cashback: Money?
    package var refunded: Money?
    /// Still to be paid by other means after a partial approval.
    package var due: Money?
    package var batch: String?
    /// How the cardholder was verified.
    package var verification: Verification

    package enum Verification: String, Sendable, Hashable, Codable {
        case signature, pin, pinAndSignature = "pin-and-signature", none
    }

    /// - Parameter firstSeen: When the first event happened, for payments whose documents carry no time.
    package init(_ state: TransactionState, transaction: UUID128, firstSeen: Timestamp) {
        self.transaction = transaction.description
        version = state.version
        status = state.status
        operation = state.operation
        merchant = state.references.merchant ?? state.merchant
        terminal = state.references.terminal ?? state.terminal
        invoice = state.references.invoice
        at = state.startedAt ?? firstSeen
        card = state.card
        authorizationCode = state.references.authorizationCode
        gatewayTransaction = state.references.gatewayTransaction
        retrievalReference = state.references.retrievalReference
        response = state.gateway?.response ?? state.reader?.response
        requested = state.requested.flatMap(state.money)
        authorized = state.hasApproval && state.credit == nil ? state.money(state.authorized) : nil
        let paid =
            state.credit.map { _ in state.credited } ?? (state.captures.isEmpty ? state.authorized : state.captured)
        total = state.hasApproval || !state.captures.isEmpty ? state.money(paid) : nil
        // The parts are only shown where they still make up the total.
        if let parts = state.breakdown, parts.total == total {
            base = parts.base
            tip = parts.tip
            tax = parts.tax
            fee = parts.fee
            cashback = parts.cashback
        } else if state.tips != 0 {
            tip = state.money(state.tips)
        }
        refunded = state.refunded > 0 ? state.money(state.refunded) : nil
        due = state.due > 0 ? state.money(state.due) : nil
        batch = state.captures.last?.batch?.number ?? state.credit?.batch?.number
        verification =
            switch (state.card?.pinEntered ?? false, state.card?.requiresSignature ?? false) {
            case (true, true): .pinAndSignature
            case (true, false): .pin
            case (false, true): .signature
            case (false, false): .none
            }
    }
}
