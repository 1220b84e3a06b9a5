import Payments

// Sales, authorisations, blind credits and account verifications.
extension BridgePayFacts {
    /// The amounts of the answer: the authorised amount, or the next best figure in the document.
    ///
    /// - Throws: `missingMoney` if no figure can be read.
    mutating func amounts(
        mayBeZero: Bool = false
    ) throws -> (approved: Amounts, asked: Money?, request: Amounts?) {
        let authorized = try response.printed("authorizedamount", as: "BridgeCommResponse.authorizedAmount")
        let original = try response.printed("originalamount", as: "BridgeCommResponse.originalAmount")
        let remaining = try response.printed("remainingamount", as: "BridgeCommResponse.remainingAmount")
        let asked = try request?.amounts(in: response.currency, authorized: authorized?.money)
        var used = authorized?.money
        if used == nil || used?.isZero == true && !mayBeZero {
            // Answers to captures print 0.00, whatever amount was captured.
            let others = [original?.money, asked?.total, try receiptTotal]
            used = others.compactMap(\.self).first { !$0.isZero || mayBeZero } ?? (mayBeZero ? used : nil)
            if let used, let authorized, operation != .capture {
                let raw = authorized.figure.raw
                anomalies.append(
                    Anomaly(
                        .amountUnreadable,
                        "authorizedAmount is printed as \(raw); \(used) was read from the rest of the document"
                    )
                )
            }
        }
        guard let total = used else {
            throw Refusal(
                .missingMoney,
                "No amount can be read from authorizedAmount, originalAmount or the request's amount.",
                pointer: response.fields.pointer(to: "authorizedAmount")
            )
        }
        var figures = [authorized?.figure, original?.figure].compactMap(\.self) + (asked?.figures ?? [])
        if let remaining, remaining.money?.isZero != true { figures.append(remaining.figure) }
        var approved = asked?.total == total ? asked ?? Amounts(total: total) : Amounts(total: total)
        approved.figures = figures.isEmpty ? nil : figures
        let whole = asked?.total ?? original?.money
        note(remaining: remaining?.money, approved: total, of: whole)
        return (approved, whole, asked)
    }

    /// Checks the amount still due after a partial approval. Every sample of a full approval prints `$0.00`.
    private mutating func note(remaining: Money?, approved: Money, of whole: Money?) {
        guard let remaining, !remaining.isZero, let whole, approved.value < whole.value,
            remaining.value != whole.value - approved.value
        else { return }
        anomalies.append(
            Anomaly(
                .amountsDoNotAddUp,
                "remainingAmount is \(remaining.value), the rest \(whole.value - approved.value)"
            )
        )
    }

    private var receiptTotal: Money? {
        get throws {
            guard let receipt = response.receipt else { return nil }
            var reader = FigureReader(currency: response.currency)
            return try reader.decimal(receipt, "totalamount", as: "BPNReceipt.totalAmount")
        }
    }

    mutating func payment(_ operation: BridgePayOperation) throws -> [TransactionEvent] {
        guard meaning.isApproval else {
            let original = try response.printed("originalamount", as: "BridgeCommResponse.originalAmount")
            let asked =
                try request?.amounts(in: response.currency, authorized: nil)
                ?? original.flatMap { printed in
                    printed.money.map { Amounts(total: $0, figures: [printed.figure]) }
                }
            return [Self.requested(operation, paymentRequest(asked)), Self.event(meaning, try verdict)]
        }
        let (approval, whole) = try approval(of: operation)
        let asked = approval.requested.map { Amounts(total: $0) }
        let start = Self.requested(operation, paymentRequest(whole ?? asked))
        switch operation {
        case .verification: return [start, .accountVerified(approval)]
        case .credit: return [start, .creditApproved(approval)]
        case .authorization: return [start, approved(approval)]
        default:
            let capture = Capture(
                id: Capture.saleID,
                amounts: approval.amounts,
                evidence: evidence,
                response: answer,
                references: references,
                at: response.at
            )
            return [start, approved(approval), .captured(capture)]
        }
    }

    /// The facts of an answer whose request is unknown.
    mutating func answerAlone() throws -> [TransactionEvent] {
        guard meaning.isApproval else { return [Self.event(meaning, try verdict)] }
        if response.messageCode == "A02" { return [.creditApproved(try approval(of: .credit).0)] }
        return [approved(try approval(of: .authorization).0)]
    }

    private var verdict: Verdict {
        get throws {
            Verdict(
                evidence: .gateway,
                response: answer,
                references: references,
                card: try response.card,
                at: response.at
            )
        }
    }

    /// The approver: the terminal if the code is an offline approval, otherwise the host.
    private var evidence: Evidence {
        BridgePayCodes.approvedOffline.contains(response.messageCode ?? "") ? .reader : .gateway
    }

    private mutating func approval(of operation: BridgePayOperation) throws -> (Approval, Amounts?) {
        let (approved, asked, whole) = try amounts(mayBeZero: operation == .verification)
        let approval = Approval(
            amounts: approved,
            requested: asked,
            evidence: evidence,
            response: answer,
            references: references,
            card: try response.card,
            at: response.at
        )
        if isPartial(approval), operation != .verification, try request?.allowsPartialApproval == false {
            anomalies.append(
                Anomaly(.conflictingOutcome, "approved in part although the request does not allow it")
            )
        }
        return (approval, whole)
    }

    private func isPartial(_ approval: Approval) -> Bool {
        meaning == .partiallyApproved || approval.requested.map { approval.amounts.total.value < $0.value } ?? false
    }

    private func approved(_ approval: Approval) -> TransactionEvent {
        isPartial(approval) ? .partiallyApproved(approval) : .authorizationApproved(approval)
    }

    private func paymentRequest(_ amounts: Amounts?) -> PaymentRequest {
        PaymentRequest(
            amounts: amounts,
            references: references,
            tender: request?.tender?.rawValue,
            at: response.at,
            circumstances: request?.circumstances(in: response.currency)
        )
    }

    /// - Parameter operation: An operation that starts a payment.
    static func requested(_ operation: BridgePayOperation, _ request: PaymentRequest) -> TransactionEvent {
        switch operation {
        case .authorization: .authorizationRequested(request)
        case .credit: .creditRequested(request)
        case .verification: .verificationRequested(request)
        default: .saleRequested(request)
        }
    }
}
