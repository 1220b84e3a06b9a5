package import Canonical
package import Payments

/// One line of a payment in a batch.
package struct BatchMember {
    package enum Kind: String {
        case sale, capture, refund, credit
    }

    /// The line's name, unique within the payment.
    package var line: String
    /// Nil if nothing reported about the payment names a vendor: the line is in the totals, and in no batch.
    package var batch: BatchReference?
    package var type: Kind
    package var currency: Currency
    package var amount: Int64
    package var tip: Int64
    package var voided: Int64
    package var brand: String?
    package var tender: String?
    package var merchant: String?
    package var terminal: String?
    package var clerk: String?
    package var tipRecipient: String?
    /// The strongest evidence that it happened. Evidence for a void or tip does not count, only evidence for the line
    /// itself.
    package var evidence: Evidence
    /// The time of the event that reported it.
    package var at: Timestamp
    /// The local time that the report of it shows.
    package var localAt: LocalTime?
    /// Whether the next closing of its unnamed batch settles it.
    package var isUnsettled: Bool

    /// Whether both have the same row in the table.
    func hasSameRow(as other: BatchMember) -> Bool {
        line.hasSameUTF8(as: other.line) && batch == other.batch && type == other.type && currency == other.currency
            && amount == other.amount && tip == other.tip && voided == other.voided
            && brand.hasSameUTF8(as: other.brand) && tender.hasSameUTF8(as: other.tender)
            && merchant.hasSameUTF8(as: other.merchant) && terminal.hasSameUTF8(as: other.terminal)
            && clerk.hasSameUTF8(as: other.clerk) && tipRecipient.hasSameUTF8(as: other.tipRecipient)
            && evidence == other.evidence && at == other.at && localAt == other.localAt
            && isUnsettled == other.isUnsettled
    }

    /// The lines of money of a payment. Lines that no document has put into a named batch are in the unnamed batch of
    /// their account, or in none if the vendor is not known, so that the totals include all money.
    package static func members(of state: TransactionState) -> [BatchMember] {
        // No money moves at a vendor's test system.
        if state.isTest { return [] }
        if state.captures.isEmpty, state.refunds.isEmpty, state.credit == nil { return [] }
        guard let currency = state.currency else { return [] }
        let unnamed = state.vendor.map { vendor in
            BatchReference(
                vendor: vendor,
                account: state.references.gatewayAccount ?? state.identity.terminal ?? state.merchant,
                number: nil
            )
        }
        func member(
            _ line: String,
            _ batch: BatchReference?,
            _ type: Kind,
            _ amount: Int64,
            _ evidence: Evidence,
            _ at: Timestamp?,
            _ localAt: LocalTime?,
            isUnsettled: Bool
        ) -> BatchMember {
            let batch = batch ?? unnamed
            return BatchMember(
                line: line,
                batch: batch,
                type: type,
                currency: currency,
                amount: amount,
                tip: 0,
                voided: 0,
                brand: state.card?.brand,
                tender: state.card?.funding ?? state.identity.tender,
                merchant: state.merchant,
                terminal: state.identity.terminal ?? state.references.terminal,
                clerk: state.references.clerk,
                tipRecipient: state.references.tipRecipient,
                evidence: evidence,
                // The fold of the log sets the time of each line.
                at: at ?? .earliest,
                localAt: localAt,
                isUnsettled: isUnsettled && batch.map { $0.number == nil } ?? false
            )
        }
        var members = state.countedCaptures.map { capture in
            let type = capture.id == Capture.saleID ? Kind.sale : .capture
            var one = member(
                capture.line,
                capture.settledIn ?? capture.batch,
                type,
                capture.amount,
                capture.evidence,
                capture.at,
                capture.localAt,
                isUnsettled: capture.awaitsClosing
            )
            // A tender has the brand and kind of the account that pays it.
            if let account = state.tenders.entries.first(where: { $0.captureID.hasSameUTF8(as: capture.id) })?.account {
                one.brand = account.brand
                one.tender = account.kind ?? state.identity.tender
            }
            one.tip = capture.tip
            one.voided = capture.voided
            return one
        }
        members += state.refunds.map { refund in
            var one = member(
                refund.refundLine,
                refund.settledIn ?? refund.batch,
                .refund,
                refund.amount,
                refund.evidence,
                refund.at,
                refund.localAt,
                isUnsettled: refund.awaitsClosing
            )
            one.clerk = refund.references.clerk ?? one.clerk
            one.voided = refund.isUndone ? refund.amount : 0
            return one
        }
        if let credit = state.countedCredit {
            let batch = credit.settledIn ?? credit.batch
            var one = member(
                CaptureEntry.creditLine,
                batch,
                .credit,
                credit.amount,
                credit.evidence,
                credit.at,
                credit.localAt,
                isUnsettled: credit.awaitsClosing
            )
            one.voided = credit.voided
            members.append(one)
        }
        return members
    }
}
