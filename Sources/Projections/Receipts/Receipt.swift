package import Canonical
import EMV
package import Payments

/// The content of a payment's receipt, for both copies. The merchant may see all of it; `shown(on:)` reduces it to
/// the part that the cardholder may see.
package struct Receipt: Sendable, Hashable, Codable {
    package var transaction: String
    package var version: Int64
    /// The position of the last event in the receipt; nil when unknown.
    package var position: Int64?
    package var kind: Kind
    package var status: TransactionStatus
    package var operation: Operation?
    /// The operation on a gift card or token, which is no payment.
    package var value: ValueEventName?
    /// True if the payment was made at the vendor's test system, where no money moves; else absent.
    package var isTest: Bool?
    package var merchant: String?
    package var terminal: String?
    package var invoice: String?
    /// The time that the terminal or vendor printed, else the earliest instant reported.
    package var at: ReportedTime?
    /// The latest reported time, when it differs from `at`: of the void, the refund or the completion.
    package var updatedAt: ReportedTime?
    package var card: CardPresentation?
    package var authorizationCode: String?
    package var gatewayTransaction: String?
    package var retrievalReference: String?
    package var response: Response?
    package var requested: Money?
    /// The discount of the offers of a wallet: the part of the request that no tender pays.
    package var discount: Money?
    package var authorized: Money?
    /// The amount that the cardholder pays: captured or credited, else authorized.
    package var total: Money?
    package var base: Money?
    package var tip: Money?
    package var tax: Money?
    package var fee: Money?
    package var cashback: Money?
    /// The taxes and fees one by one, under the merchant's own labels.
    package var parts: [AmountPart]?
    /// The amount voided or reversed before settlement.
    package var voided: Money?
    package var refunded: Money?
    /// The amount still to be paid by other means after a partial approval.
    package var due: Money?
    /// The balance of a gift card.
    package var balance: Money?
    /// The amount that was put on a gift card.
    package var loaded: Money?
    package var healthCare: HealthCare?
    /// The code of an authorization given outside of the network.
    package var voiceAuthorization: String?
    /// Whether the app stated that the card was present.
    package var isCardPresent: Bool?
    package var batch: String?
    /// Whether a tip can still be added.
    package var takesTip: Bool
    /// Whether the tip was set after the card was removed.
    package var isTipAdjusted: Bool
    /// The method by which the cardholder was verified.
    package var verification: Verification
    /// What the app stated about the payment beside its amounts.
    package var terms: PaymentTerms?
    /// The tender that the app named.
    package var tender: String?
    /// The number of times each copy was issued.
    package var issued: ReceiptCounts
    /// The zone for printed times; UTC when the merchant's zone is unknown. It is not stored but read with the
    /// receipt.
    package var zone: Zone?

    package enum Verification: String, Sendable, Hashable, Codable, CaseIterable {
        case signature, pin, pinAndSignature = "pin-and-signature", none

        var usesPIN: Bool { self == .pin || self == .pinAndSignature }
        var usesSignature: Bool { self == .signature || self == .pinAndSignature }
    }

    /// The transaction as a receipt names it.
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case sale, authorization, capture, void, refund, declined, cancelled, failed
        /// Whether money moved is not known yet.
        case unknown
        case partialApproval = "partial-approval"
        case balance
        case giftActivation = "gift-activation"
        case giftLoad = "gift-load"
        case giftDeactivation = "gift-deactivation"
        case token
        case cashWithdrawal = "cash-withdrawal"
        case verification

        /// True if the cardholder is to be shown that nothing was paid.
        var isRefusal: Bool { self == .declined || self == .cancelled || self == .failed }

        /// True when the cardholder owes, or is owed, money.
        var movesMoney: Bool {
            switch self {
            case .sale, .authorization, .capture, .refund, .partialApproval, .cashWithdrawal: true
            case .void, .declined, .cancelled, .failed, .unknown, .balance, .verification, .giftActivation, .giftLoad,
                .giftDeactivation, .token:
                false
            }
        }
    }

    /// - Parameters:
    ///   - firstSeen: The time of the first event, for payments whose documents carry no time.
    ///   - position: The position of the last folded event.
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
        isTest = state.isTest ? true : nil
        // The acquirer's numbers are printed when they are known.
        merchant = state.references.merchant ?? state.merchant
        terminal = state.references.terminal ?? state.identity.terminal
        invoice = state.references.invoice
        let first = state.times.earliest.preferred ?? .instant(firstSeen)
        at = first
        let latest = state.times.latest.latest
        updatedAt = latest.flatMap { first.isBefore($0) ? $0 : nil }
        card = state.card
        // The digest only serves to find other payments with the card. It does not belong on a receipt.
        card?.tokenDigest = nil
        card?.chipAmounts = nil
        card?.addressCheck = nil
        card?.codeCheck = nil
        card?.isCommercial = nil
        healthCare = state.identity.circumstances?.healthCare
        voiceAuthorization = state.identity.circumstances?.voiceAuthorization
        isCardPresent = state.identity.circumstances?.isCardPresent
        authorizationCode = state.references.authorizationCode
        gatewayTransaction = state.references.gatewayTransaction
        retrievalReference = state.references.retrievalReference
        response = state.verdicts.gateway?.response ?? state.verdicts.reader?.response
        requested = state.requested.flatMap(state.money)
        discount = state.offered > 0 ? state.money(state.offered) : nil
        authorized = state.hasApproval && state.credit == nil ? state.money(state.authorized) : nil
        // An authorization that has ended holds no money.
        let held = kind == .void ? 0 : state.authorized
        let paid = state.credit.map { _ in state.credited } ?? (state.captures.isEmpty ? held : state.captured)
        let isPaid = state.hasApproval || !state.captures.isEmpty
        total = isPaid && !kind.isRefusal ? state.money(paid) : nil
        // The parts are shown only if they still add up to the total.
        if let parts = state.authorization.breakdown, parts.total == total {
            base = parts.base
            tip = parts.tip
            tax = parts.tax
            fee = parts.fee
            cashback = parts.cashback
            self.parts = parts.parts
        } else if state.tips != 0 {
            tip = state.money(state.tips)
        }
        voided = state.voidedOrReversed > 0 ? state.money(state.voidedOrReversed) : nil
        refunded = state.refunded > 0 ? state.money(state.refunded) : nil
        due = state.due > 0 ? state.money(state.due) : nil
        balance = state.cardValue.flatMap { $0.isBalance ? $0.amount : $0.balance }
        loaded = state.cardValue.flatMap { $0.isBalance ? nil : $0.amount }
        value = state.valueOperation
        batch = state.captures.last?.batch?.number ?? state.credit?.batch?.number
        takesTip = state.takesTip
        isTipAdjusted = state.captures.contains { $0.tipAt != nil || $0.tip != $0.firstTip }
        verification = Verification(state.card)
        terms = state.identity.terms
        tender = state.identity.tender
        issued = state.receipts
    }

    /// Whether the cardholder presented the card for this transaction. A refund of a payment needs no card, and the
    /// known card data is that of the payment.
    var isOfPresentation: Bool { kind.movesMoney && !isLinkedRefund }

    /// True for a refund of a payment, false for a standalone credit.
    var isLinkedRefund: Bool { kind == .refund && operation != .credit && refunded != nil }

    /// The number of the reprint; 0 for the first issue of a copy.
    package func reprint(of copy: ReceiptCopy) -> Int { issued.reprint(of: copy) }

    /// The receipt reduced to what may appear on a copy: the customer's copy shows only the last four digits of the
    /// card number.
    package func shown(on copy: ReceiptCopy) -> Receipt {
        var receipt = self
        receipt.card = card?.shown(on: copy)
        return receipt
    }
}

extension CardPresentation {
    /// The card reduced to what may appear on a copy.
    package func shown(on copy: ReceiptCopy) -> CardPresentation {
        guard copy == .customer else { return self }
        let last = lastFour ?? maskedNumber.map { String($0.suffix(4)) }
        let digits = last.flatMap { text -> String? in
            text.utf8.count == 4 && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? text : nil
        }
        var card = self
        card.maskedNumber = digits.map { String(repeating: "*", count: 12) + $0 }
        card.lastFour = digits
        return card
    }
}

extension Receipt.Verification {
    /// The chip's results take precedence over the app's instructions. A requested signature always counts as given.
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
        // The host's approval is to be reversed: the terminal's own result is what the cardholder was shown.
        if state.awaitsReversal, state.countedCaptures.isEmpty, let refusal = Self.refusal(state.verdicts.reader) {
            self = refusal
            return
        }
        switch state.status {
        case .declined: self = .declined
        case .cancelled: self = .cancelled
        case .failed, .notPosted: self = .failed
        case .inDoubt: self = .unknown
        case .voided, .reversed, .expired: self = .void
        case .credited, .refunded, .partiallyRefunded: self = .refund
        case .verified: self = .verification
        case .completed: self = Self(state.valueOperation)
        default:
            if state.credit != nil || state.operation == .credit {
                self = .refund
            } else if state.due > 0 {
                self = .partialApproval
            } else if state.tenders.entries.contains(where: \.isCash) || Self.isCash(state.identity.tender) {
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

extension Receipt.Kind {
    fileprivate init(_ value: ValueEventName?) {
        self =
            switch value {
            case .giftCardActivated: .giftActivation
            case .giftCardLoaded: .giftLoad
            case .giftCardDeactivated: .giftDeactivation
            case .tokenIssued, .tokenRetrieved: .token
            case .balanceInquired, nil: .balance
            }
    }

    /// True for the tenders of payments that sell cash and no goods.
    static func isCash(_ tender: String?) -> Bool { tender == "withdrawal" || tender == "manualCash" }

    /// The result of a terminal that did not complete the payment.
    private static func refusal(_ terminal: Facet?) -> Receipt.Kind? {
        switch terminal?.said ?? terminal?.outcome {
        case .declined?: .declined
        case .cancelled?: .cancelled
        case .failed?: .failed
        default: nil
        }
    }
}

extension TransactionState {
    /// The voided or reversed part of the payment, without refunds.
    fileprivate var voidedOrReversed: Int64 {
        let voids = captures.reduce(Int64(0)) { $0 + $1.voided } + (credit?.voided ?? 0)
        if voids > 0 { return voids }
        return isVoidedOrReversed ? max(0, authorization.approved ?? 0) : 0
    }

    /// True while the money is not settled and no tip has been reported.
    fileprivate var takesTip: Bool {
        guard hasApproval, credit == nil, tips == 0, refunded == 0, chargedBack == 0, tenders.entries.isEmpty else {
            return false
        }
        switch status {
        case .authorized: return operation == .authorization
        case .captured, .partiallyCaptured: return countedCaptures.contains { $0.isOpen && $0.tipAt == nil }
        default: return false
        }
    }
}
