import Canonical

// The fold of reports by batches and the bank.
extension TransactionState {
    mutating func expire(_ reported: Settlement) {
        learn(References(), nil, reported.at)
        isExpired = true
    }

    /// I7: only open money is settled, so no capture is ever in two closed batches.
    mutating func settle(_ reported: Settlement) {
        learn(References(), nil, reported.at)
        settlement = Facet(outcome: .approved, response: reported.response, at: reported.at)
        let named = reported.batch
        let isNamed =
            named != nil
            && (captures.contains { $0.isOpen && $0.batch == named }
                || refunds.contains { $0.isOpen && $0.batch == named }
                || credit?.isOpen == true && credit?.batch == named)
        let isRepeated = named.map(settledBatches.contains) ?? false
        // A batch settles the entries that name it. A batch number is often known only after the batch is closed: in
        // that case the batch settles the open payment, or the open refunds if the payment is already settled.
        func takes(_ batch: BatchReference?) -> Bool { isNamed ? batch == named : !isRepeated }
        var takesRefunds = true
        for index in captures.indices where captures[index].isOpen && takes(captures[index].batch) {
            captures[index].settle(reported)
            takesRefunds = isNamed
        }
        if let entry = credit, entry.isOpen, takes(entry.batch) { credit?.settle(reported) }
        if takesRefunds {
            for index in refunds.indices where refunds[index].isOpen && takes(refunds[index].batch) {
                refunds[index].isSettled = true
                refunds[index].settledIn = named
            }
        }
        if let named, !settledBatches.contains(named) { settledBatches.append(named) }
        isSettlementRejected = isSettlementRejected && hasOpenMoney
    }

    mutating func rejectSettlement(_ reported: Settlement) {
        learn(References(), nil, reported.at)
        settlement = Facet(outcome: .failed, response: reported.response, at: reported.at)
        for index in captures.indices where captures[index].isSettled && captures[index].settledIn == reported.batch {
            captures[index].isSettled = false
            captures[index].settledIn = nil
        }
        for index in refunds.indices where refunds[index].isSettled && refunds[index].settledIn == reported.batch {
            refunds[index].isSettled = false
            refunds[index].settledIn = nil
        }
        if let entry = credit, entry.isSettled, entry.settledIn == reported.batch {
            credit?.isSettled = false
            credit?.settledIn = nil
        }
        settledBatches.removeAll { $0 == reported.batch }
        isSettlementRejected = hasOpenMoney
    }

    private var hasOpenMoney: Bool { captures.contains(where: \.isOpen) || credit?.isOpen ?? false }

    mutating func fund(_ reported: Settlement) {
        learn(References(), nil, reported.at)
        guard !fundings.contains(where: { $0.id.hasSameUTF8(as: reported.id) }) else { return }
        // Without an amount, all settled money has arrived.
        let amount = reported.amount ?? money((credit?.isSettled ?? false ? -credited : settled) - funded)
        guard let amount, admit(amount, isSigned: true) else { return }
        fundings.append(NamedAmount(id: reported.id, amount: amount))
        funded += amount.value
    }
}

extension CaptureEntry {
    /// Settles the capture. The batch that took it is also the highest-ranked evidence of the capture.
    fileprivate mutating func settle(_ reported: Settlement) {
        isSettled = true
        settledIn = reported.batch
        closedAt = reported.amount == nil ? reported.at : nil
        if reported.evidence.rank > evidence.rank { evidence = reported.evidence }
    }
}
