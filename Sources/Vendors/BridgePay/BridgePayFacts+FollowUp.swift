import Canonical
import Payments

// Captures, tips, voids, refunds and increments.
extension BridgePayFacts {
    mutating func facts(of followUp: FollowUp, _ operation: BridgePayOperation) throws -> [TransactionEvent] {
        if operation == .void, meaning == .failed, Self.isAlreadyVoided(try response.result) {
            // Refused because the payment is already voided.
            return [.voided(followUpReturn(id: try followUpID("void"), amount: nil))]
        }
        switch meaning {
        case .declined, .cancelled, .failed: return refused(followUp).map { [.followUpRefused($0)] } ?? []
        case .unknown:
            return [
                .outcomeUnknown(Verdict(evidence: .gateway, response: answer, references: references, at: response.at)),
                .anomalyRaised(.followUpInDoubt(followUp)),
            ]
        case .approved, .partiallyApproved: break
        }
        switch operation {
        case .capture:
            let capture = Capture(
                id: try followUpID("capture"),
                amounts: try amounts().approved,
                evidence: .gateway,
                response: answer,
                references: references,
                at: response.at
            )
            return [.captured(capture)]
        case .tipAdjust: return [.tipAdjusted(try tipAdjustment())]
        case .increment: return [.authorizationIncremented(try increment())]
        default: return try giveBack(followUp)
        }
    }

    private func refused(_ followUp: FollowUp) -> FollowUpRefusal? {
        Self.refusal(of: followUp, meaning, request, in: response.currency, by: .gateway, answer, at: response.at)
    }

    /// The refusal of a follow-up that did not happen; nil for other meanings. The requested amount is only in the
    /// request; an unreadable one does not suppress the refusal.
    static func refusal(
        of followUp: FollowUp,
        _ meaning: CodeMeaning,
        _ request: BridgePayRequest?,
        in currency: Currency,
        by evidence: Evidence,
        _ answer: Response,
        at time: ReportedTime?
    ) -> FollowUpRefusal? {
        guard let outcome = FollowUpRefusal.Outcome(meaning) else { return nil }
        let asked = (try? request?.amounts(in: currency, authorized: nil)?.total).flatMap { $0.isZero ? nil : $0 }
        return FollowUpRefusal(
            followUp,
            outcome: outcome,
            amount: asked,
            isWhole: followUp != .tipAdjustment && request.map { !$0.fields.has("amount") } ?? false,
            tip: followUp == .tipAdjustment ? (try? request?.tip(in: currency))?.0 : nil,
            original: request?.original.map { References(gatewayTransaction: $0) },
            evidence: evidence,
            response: answer,
            at: time
        )
    }

    private static func isAlreadyVoided(_ result: String?) -> Bool { result.flatMap { Int($0) } == 10042 }

    /// The follow-up's id: its kind plus everything that distinguishes it from others of that kind. These are the
    /// gateway's id if it differs from the original's, the time, and the authorisation code. The answer to a capture
    /// has none of them; then the sender's time is used, and without it two captures cannot be distinguished.
    private func followUpID(_ kind: String) throws -> String {
        let own = response.gatewayTransaction.flatMap { id in
            request?.original.map { $0.hasSameUTF8(as: id) } ?? true ? nil : id
        }
        let time = try response.fields.text("isotransactiondate", "transactiondate") ?? response.at?.description
        let parts = [own, time, try response.fields.identifier("authorizationcode")].compactMap(\.self)
        return ([kind] + parts).joined(separator: ":")
    }

    private func followUpReturn(id: String, amount: Money?) -> Return {
        Return(
            id: id,
            amount: amount,
            evidence: .gateway,
            response: answer,
            references: references,
            at: response.at
        )
    }

    private func tipAdjustment() throws -> TipAdjustment {
        let total = try response.printed("authorizedamount", as: "BridgeCommResponse.authorizedAmount")
        let base = try response.printed("originalamount", as: "BridgeCommResponse.originalAmount")
        var figures = [total?.figure, base?.figure].compactMap(\.self)
        let tip: Money
        if let (reported, figure) = try request?.tip(in: response.currency) {
            tip = reported
            figures.append(figure)
        } else if let total = total?.money, let base = base?.money, total.value >= base.value {
            tip = Money(total.value - base.value, response.currency)
        } else {
            throw Refusal(
                .missingMoney,
                "The tip is unknown. Send BPNPaymentRequest with its tipAmount beside the response.",
                pointer: response.fields.pointer(to: "authorizedAmount")
            )
        }
        let amounts = total?.money.flatMap { total in
            total.isZero ? nil : Amounts(total: total, base: base?.money, tip: tip, figures: figures)
        }
        return TipAdjustment(
            tip: tip,
            amounts: amounts,
            evidence: .gateway,
            response: answer,
            references: references,
            at: response.at
        )
    }

    /// The amount added to an authorisation: the requested amount, or else the current authorised amount less the
    /// original one.
    private func increment() throws -> Increment {
        let total = try response.printed("authorizedamount", as: "BridgeCommResponse.authorizedAmount")?.money
        let first = try response.printed("originalamount", as: "BridgeCommResponse.originalAmount")?.money
        let delta: Money
        if let asked = try request?.amounts(in: response.currency, authorized: nil)?.total, !asked.isZero {
            delta = asked
        } else if let total, let first, total.value > first.value {
            delta = Money(total.value - first.value, response.currency)
        } else {
            throw Refusal(
                .missingMoney,
                "The increment is unknown. Send BPNPaymentRequest with its amount beside the response.",
                pointer: response.fields.pointer(to: "authorizedAmount")
            )
        }
        return Increment(id: try followUpID("increment"), delta: delta, evidence: .gateway, at: response.at)
    }

    /// The gateway turns a refund of an unsettled payment into a void, and a void of a settled payment into a refund.
    /// The message code shows what was done; the request only shows the intent.
    private func giveBack(_ followUp: FollowUp) throws -> [TransactionEvent] {
        // Approved, but the authorisation could not be reversed: it is unknown whether any amount was reversed.
        if response.messageCode == "A11" { return [.anomalyRaised(.followUpInDoubt(followUp))] }
        let authorized = try response.printed("authorizedamount", as: "BridgeCommResponse.authorizedAmount")?.money
        let asked = try request?.amounts(in: response.currency, authorized: nil)?.total
        let amount = [authorized, asked].compactMap(\.self).first { !$0.isZero }
        let isVoid =
            switch response.messageCode {
            case "A02", "A08": false
            case "A03", "A06", "A07": true
            default: followUp == .void
            }
        if isVoid {
            let isPartial = response.messageCode == "A07"
            return [.voided(followUpReturn(id: try followUpID("void"), amount: isPartial ? amount : nil))]
        }
        // Each refund has its own id at the gateway. If the answer repeats the original's id, time and authorisation
        // code distinguish two refunds.
        let own = [
            response.gatewayTransaction, try response.fields.text("isotransactiondate", "transactiondate"),
            references.authorizationCode,
        ]
        let id = "refund:" + own.compactMap(\.self).joined(separator: ":")
        let refund = TransactionEvent.refunded(followUpReturn(id: id, amount: amount))
        // Every request has an amount (document 000, line 288): without one it is not known how much was given back.
        return amount == nil ? [refund, .anomalyRaised(.refundWithoutAmount)] : [refund]
    }
}
