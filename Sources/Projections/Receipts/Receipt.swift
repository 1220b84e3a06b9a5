package import Canonical
import EMV
package import Payments

/// What the receipt of a payment says, for both of its copies. Nothing on it may be kept from the merchant; what may be
/// shown to the cardholder is `Receipt.shown(on:)`.
package struct Receipt: Sendable, Hashable, Codable {
    package var transaction: String
    package var version: Int64
    /// Where the last event this is made of stands in the log; nil where nobody said.
    package var position: Int64?
    package var kind: Kind
    package var status: TransactionStatus
    package var operation: Operation?
    package var merchant: String?
    package var terminal: String?
    package var invoice: String?
    package var at: Timestamp?
    /// The latest time told about it, where that is another one: of the void, the refund or the completion.
    package var updatedAt: Timestamp?
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
    /// What was taken back before it was settled.
    package var voided: Money?
    package var refunded: Money?
    /// Still to be paid by other means after a partial approval.
    package var due: Money?
    /// What is on a gift card.
    package var balance: Money?
    package var batch: String?
    /// Whether a tip can still be written on it.
    package var takesTip: Bool
    /// Whether the tip was set after the card was gone.
    package var isTipAdjusted: Bool
    /// How the cardholder was verified.
    package var verification: Verification
    /// How often each copy was handed out.
    package var issued: ReceiptCounts
    /// By whose clocks times are printed; UTC where nobody has said where the merchant is. Not stored: whoever reads a
    /// receipt looks it up.
    package var zone: Zone?

    package enum Verification: String, Sendable, Hashable, Codable {
        case signature, pin, pinAndSignature = "pin-and-signature", none

        var usesPIN: Bool { self == .pin || self == .pinAndSignature }
        var usesSignature: Bool { self == .signature || self == .pinAndSignature }
    }

    /// What happened, as far as a receipt is concerned.
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case sale, authorization, capture, void, refund, declined, cancelled, failed
        /// Nobody can say yet whether money moved.
        case unknown
        case partialApproval = "partial-approval"
        case balance
        case cashWithdrawal = "cash-withdrawal"
        case verification

        /// True where the cardholder owes, or is owed, something.
        var movesMoney: Bool {
            switch self {
            case .sale, .authorization, .capture, .refund, .partialApproval, .cashWithdrawal: true
            case .void, .declined, .cancelled, .failed, .unknown, .balance, .verification: false
            }
        }
    }

    /// - Parameters:
    ///   - firstSeen: When the first event happened, for payments whose documents carry no time.
    ///   - position: Of the last event that was folded.
    package init(
        _ state: TransactionState,
        transaction: UUID128,
        firstSeen: Timestamp,
        position: Int64? = nil
    ) {
        self.transaction = transaction.description
        self.position = position
        version = state.version
        kind = Kind(state)
        status = state.status
        operation = state.operation
        // What is printed is the number the acquirer knows, where it was told.
        merchant = state.references.merchant ?? state.merchant
        terminal = state.references.terminal ?? state.terminal
        invoice = state.references.invoice
        at = state.startedAt ?? firstSeen
        updatedAt = state.lastAt == at ? nil : state.lastAt
        card = state.card
        // For finding other payments with the card; no business of a receipt's.
        card?.tokenDigest = nil
        card?.chipAmounts = nil
        authorizationCode = state.references.authorizationCode
        gatewayTransaction = state.references.gatewayTransaction
        retrievalReference = state.references.retrievalReference
        response = state.gateway?.response ?? state.reader?.response
        requested = state.requested.flatMap(state.money)
        authorized = state.hasApproval && state.credit == nil ? state.money(state.authorized) : nil
        // An authorisation that is over holds nothing any more.
        let held = kind == .void ? 0 : state.authorized
        let paid = state.credit.map { _ in state.credited } ?? (state.captures.isEmpty ? held : state.captured)
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
        voided = state.takenBack > 0 ? state.money(state.takenBack) : nil
        refunded = state.refunded > 0 ? state.money(state.refunded) : nil
        due = state.due > 0 ? state.money(state.due) : nil
        balance = state.cardValue.flatMap { $0.isBalance ? $0.amount : nil }
        batch = state.captures.last?.batch?.number ?? state.credit?.batch?.number
        takesTip = state.takesTip
        isTipAdjusted = state.captures.contains { $0.tipAt != nil || $0.tip != $0.firstTip }
        verification = Verification(state.card)
        issued = state.receipts
    }

    /// Whether the cardholder stood there with the card for what this is about. Money that goes back along a payment
    /// needs no card, and what is known of it is of the payment.
    var isOfPresentation: Bool { kind.movesMoney && !isLinkedRefund }

    /// A refund of a payment, not one that stands for itself.
    var isLinkedRefund: Bool { kind == .refund && operation != .credit && refunded != nil }

    /// The how-manieth reprint of a copy this is; 0 for the first that is handed out.
    package func reprint(of copy: ReceiptCopy) -> Int { max(0, issued[copy] - 1) }

    /// What may stand on a copy: of the card number, the customer's copy has the last four digits only.
    package func shown(on copy: ReceiptCopy) -> Receipt {
        guard copy == .customer, var shown = card else { return self }
        var receipt = self
        let last = shown.lastFour ?? shown.maskedNumber.map { String($0.suffix(4)) }
        let digits = last.flatMap { text -> String? in
            text.utf8.count == 4 && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? text : nil
        }
        shown.maskedNumber = digits.map { String(repeating: "*", count: 12) + $0 }
        shown.lastFour = digits
        receipt.card = shown
        return receipt
    }

    /// One copy as JSON.
    package func json(for copy: ReceiptCopy) throws -> JSONValue {
        guard case .object(var object) = try JSONValueEncoder().encode(shown(on: copy)) else { return .null }
        object["copy"] = .string(copy.rawValue)
        object["zone"] = .string((zone ?? .utc).name)
        object["reprint"] = .number(JSONNumber(Int64(reprint(of: copy))))
        return .object(object)
    }
}

extension Receipt.Verification {
    /// What the chip says counts for more than what the app was told to do; a signature that was asked for is always
    /// one that is given.
    init(_ card: CardPresentation?) {
        let results = card?.verificationResults.flatMap { VerificationResults(hex: $0) }
        let hasFailed = results?.result == .failed
        var usesPIN = card?.pinEntered ?? false
        var usesSignature = card?.requiresSignature ?? false
        switch results?.receiptLine {
        case .verifiedByPIN?: usesPIN = !hasFailed
        case .signature?: usesSignature = true
        case .verifiedByPINAndSignature?: (usesPIN, usesSignature) = (!hasFailed, true)
        case .some(.none), nil: break
        }
        self =
            switch (usesPIN, usesSignature) {
            case (true, true): .pinAndSignature
            case (true, false): .pin
            case (false, true): .signature
            case (false, false): .none
            }
    }
}

extension Receipt.Kind {
    init(_ state: TransactionState) {
        switch state.status {
        case .declined: self = .declined
        case .cancelled: self = .cancelled
        case .failed, .notPosted: self = .failed
        case .inDoubt: self = .unknown
        case .voided, .reversed, .expired: self = .void
        case .credited, .refunded, .partiallyRefunded: self = .refund
        case .verified: self = .verification
        default:
            if state.credit != nil || state.operation == .credit {
                self = .refund
            } else if state.due > 0 {
                self = .partialApproval
            } else if state.tenders.contains(where: \.isCash) {
                self = .cashWithdrawal
            } else if state.cardValue?.isBalance == true, !state.hasApproval, state.captures.isEmpty {
                self = .balance
            } else if state.operation == .verification {
                self = .verification
            } else if state.operation == .authorization {
                self = state.captures.isEmpty ? .authorization : .capture
            } else {
                self = .sale
            }
        }
    }
}

extension TransactionState {
    /// What of the payment was taken back without being refunded.
    fileprivate var takenBack: Int64 {
        let voids = captures.reduce(Int64(0)) { $0 + $1.voided } + (credit?.voided ?? 0)
        if voids > 0 { return voids }
        return isVoided || isReversed ? max(0, approved ?? 0) : 0
    }

    /// True while the money waits, and nobody has told a tip.
    fileprivate var takesTip: Bool {
        guard hasApproval, credit == nil, tips == 0, refunded == 0, chargedBack == 0, tenders.isEmpty else {
            return false
        }
        switch status {
        case .authorized: return operation == .authorization
        case .captured, .partiallyCaptured: return countedCaptures.contains { $0.isOpen && $0.tipAt == nil }
        default: return false
        }
    }
}
