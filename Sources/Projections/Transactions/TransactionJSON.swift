package import Canonical
import Payments

extension TransactionView {
    /// The JSON form of a payment: the folded state with its three facets.
    package var json: JSONText {
        var json = JSONText(reserving: 2048)
        json.object { json in
            json.name("id")
            json.write(id)
            json.set("version", state.version)
            json.set("status", state.status.rawValue)
            writeIdentity(to: &json)
            writeMoney(to: &json)
            json.name("facets")
            json.object { json in
                json.set("reader", state.verdicts.reader)
                json.set("gateway", state.verdicts.gateway)
                json.set("settlement", state.verdicts.settlement)
            }
            json.set("outcome", state.outcome?.rawValue)
            json.set("outcomeEvidence", state.verdicts.current?.evidence.rawValue)
            json.set("references", state.references)
            json.set("card", state.card)
            writeValue(to: &json)
            json.set("inDoubt", state.isInDoubt)
            json.name("anomalies")
            json.array { json in for anomaly in state.anomalies { json.write(anomaly) } }
            json.name("linked")
            json.array { json in for stream in state.linked { json.write(stream) } }
            json.set("localTime", state.times.earliest.local)
            json.set("occurredAt", occurredAt)
            json.set("recordedAt", recordedAt)
            json.set("firstPosition", firstPosition)
            json.set("lastPosition", lastPosition)
        }
        return json
    }

    private func writeIdentity(to json: inout JSONText) {
        json.set("operation", state.operation?.rawValue)
        json.set("vendor", state.identity.vendor?.rawValue)
        json.set("reference", state.identity.reference)
        json.set("merchant", state.merchant)
        json.set("terminal", state.identity.terminal ?? state.references.terminal)
        json.set("device", state.identity.device)
        if let reader = state.identity.cardReader {
            json.name("cardReader")
            json.object { json in
                json.set("vendor", reader.vendor.rawValue)
                json.set("serial", reader.serial)
            }
        }
        json.set("tender", state.identity.tender)
        json.set("circumstances", state.identity.circumstances)
        if state.isTest { json.set("test", true) }
        json.set("cardholderPresent", state.identity.terms?.isCardholderPresent)
        json.set("budgetMonths", state.identity.terms?.budgetMonths.map(Int64.init))
        json.set("signature", state.steps.signature?.rawValue)
        json.set("cancellation", state.cancellation?.rawValue)
    }

    private func writeMoney(to json: inout JSONText) {
        json.name("amounts")
        json.object { writeAmounts(to: &$0) }
        if let breakdown = state.authorization.breakdown {
            json.name("breakdown")
            json.write(breakdown)
        }
        let currency = state.currency
        if !state.tenders.entries.isEmpty {
            json.name("tenders")
            json.array { json in for tender in state.tenders.entries { json.write(tender, in: currency) } }
        }
        writeWallet(to: &json)
        json.name("captures")
        json.array { json in for capture in state.captures { json.write(capture, in: currency) } }
        json.name("refunds")
        json.array { json in for refund in state.refunds { json.write(refund, in: currency) } }
        json.name("chargebacks")
        json.array { json in for chargeback in state.chargebacks { json.write(chargeback, in: currency) } }
        if let credit = state.credit {
            json.name("credit")
            json.write(credit, in: currency)
        }
    }

    /// The refused tenders and the offers of a wallet.
    private func writeWallet(to json: inout JSONText) {
        if !state.tenders.refused.isEmpty {
            json.name("refusedTenders")
            json.array { json in for tender in state.tenders.refused { json.write(tender) } }
        }
        guard !state.tenders.offers.isEmpty else { return }
        json.name("offers")
        json.array { json in
            for offer in state.tenders.offers {
                json.object { json in
                    json.set("id", offer.id)
                    json.set("amount", offer.amount)
                }
            }
        }
    }

    /// The last operation on the card's value, or the token that was issued for it.
    private func writeValue(to json: inout JSONText) {
        guard let operation = state.cardValue.flatMap({ ValueEventName(rawValue: $0.name) }) ?? state.valueOperation
        else { return }
        json.name("cardValue")
        json.object { json in
            json.set("operation", operation.operation)
            json.set("amount", state.cardValue?.amount)
            json.set("balance", state.cardValue?.balance)
            json.set("response", state.cardValue?.response)
        }
    }

    private func writeAmounts(to json: inout JSONText) {
        guard let currency = state.currency else { return }
        let (captured, refunded) = (state.captured, state.refunded)
        json.set("requested", state.requested, currency)
        if state.hasApproval && state.credit == nil { json.set("authorized", state.authorized, currency) }
        json.set("captured", captured, currency)
        json.set("tip", state.tips, currency)
        json.set("refunded", refunded, currency)
        json.set("chargedBack", state.chargedBack, currency)
        json.set("remaining", captured - refunded, currency)
        json.set("settled", state.settled, currency)
        let due = state.due
        if due > 0 { json.set("due", due, currency) }
        if state.offered > 0 { json.set("discount", state.offered, currency) }
        if state.credit != nil { json.set("credited", state.credited, currency) }
    }
}

extension JSONText {
    /// An amount in minor units; left out if it or its currency is nil.
    fileprivate mutating func set(_ name: StaticString, _ minor: Int64?, _ currency: Currency?) {
        guard let minor, let currency else { return }
        set(name, Money(minor, currency))
    }

    fileprivate mutating func write(_ amounts: Amounts) {
        object { json in
            json.set("total", amounts.total)
            json.set("base", amounts.base)
            json.set("tip", amounts.tip)
            json.set("tax", amounts.tax)
            json.set("fee", amounts.fee)
            json.set("cashback", amounts.cashback)
            json.set("parts", amounts.parts)
        }
    }

    private mutating func set(_ name: StaticString, _ account: TenderAccount?) {
        guard let account else { return }
        self.name(name)
        object { json in
            json.set("kind", account.kind)
            json.set("brand", account.brand)
            json.set("lastFour", account.lastFour)
            json.set("tokenDigest", account.tokenDigest)
        }
    }

    fileprivate mutating func write(_ tender: RefusedTender) {
        object { json in
            json.set("id", tender.id)
            json.set("outcome", tender.outcome.rawValue)
            json.set("amount", tender.amount)
            json.set("account", tender.account)
            json.set("response", tender.response)
            json.set("at", tender.at)
        }
    }

    fileprivate mutating func write(_ tender: TenderEntry, in currency: Currency?) {
        object { json in
            json.set("id", tender.id)
            json.set("amount", tender.amount, currency)
            json.set("tip", tender.tip, currency)
            json.set("captured", tender.isCaptured)
            json.set("cash", tender.isCash)
            json.set("account", tender.account)
            json.set("evidence", tender.evidence.rawValue)
            json.set("capture", tender.captureID)
        }
    }

    fileprivate mutating func write(_ capture: CaptureEntry, in currency: Currency?) {
        object { json in
            json.set("id", capture.id)
            json.set("amount", capture.amount, currency)
            json.set("tip", capture.tip, currency)
            json.set("voided", capture.voided, currency)
            json.set("evidence", capture.evidence.rawValue)
            json.set("batch", capture.batch)
            json.set("settled", capture.isSettled)
            json.set("settledIn", capture.settledIn)
            json.set("inferred", capture.isInferred)
        }
    }

    fileprivate mutating func write(_ entry: ReturnEntry, in currency: Currency?) {
        object { json in
            json.set("id", entry.id)
            json.set("amount", entry.amount, currency)
            json.set("undone", entry.isUndone)
            json.set("evidence", entry.evidence.rawValue)
            json.set("batch", entry.batch)
        }
    }
}
