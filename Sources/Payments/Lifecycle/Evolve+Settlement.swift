import Canonical

// The fold of reports by batches and the bank.
extension TransactionState {
    mutating func expire(_ reported: Settlement) {
        learn(References(), nil, reported.at)
        guard !outranks(.expired(reported)) else { return }
        closing.isExpired = true
    }

    /// I7: only open money is settled, so no capture is ever in two closed batches.
    mutating func settle(_ reported: Settlement) {
        learn(References(), nil, reported.at)
        report(.approved, of: reported)
        let named = reported.batch
        let isNamed =
            named != nil
            && (captures.contains { $0.isOpen && $0.batch == named }
                || refunds.contains { $0.isOpen && $0.batch == named }
                || credit?.isOpen == true && credit?.batch == named)
        let isRepeated = named.flatMap(closing(of:)) != nil
        // A batch settles the entries that name it. A batch number is often known only after the batch is closed: in
        // that case the batch settles the open payment, or the open refunds if the payment is already settled.
        func takes(_ batch: BatchReference?) -> Bool { isNamed ? batch == named : !isRepeated }
        var takesRefunds = true
        let isOpen =
            captures.contains { $0.isOpen && takes($0.batch) } || refunds.contains { $0.isOpen && takes($0.batch) }
            || credit.map { $0.isOpen && takes($0.batch) } ?? false
        if !isOpen, !isRepeated { takeOver(reported) }
        for index in captures.indices where captures[index].isOpen && takes(captures[index].batch) {
            captures[index].settle(reported)
            takesRefunds = isNamed
        }
        if let entry = credit, entry.isOpen, takes(entry.batch) { credit?.settle(reported) }
        if takesRefunds {
            for index in refunds.indices where refunds[index].isOpen && takes(refunds[index].batch) {
                refunds[index].settlement = EntrySettlement(reported)
            }
        }
        confirmClosing(reported)
        if named != nil, !isRepeated { settlement.batches.append(EntrySettlement(reported)) }
        settlement.isRejected = settlement.isRejected && hasOpenMoney
    }

    /// Moves money that is in another batch only by a relayed closing to the batch that settlement itself names.
    private mutating func takeOver(_ reported: Settlement) {
        guard reported.evidence.isConfirmation, let named = reported.batch else { return }
        // A closing without an amount is about the lines that name its batch.
        func moves(_ settlement: EntrySettlement, _ batch: BatchReference?) -> Bool {
            settlement.isRelayed && settlement.batch != named && (batch == named || !reported.isInferred)
        }
        for index in captures.indices where moves(captures[index].settlement, captures[index].batch) {
            captures[index].settle(reported)
        }
        if let entry = credit, moves(entry.settlement, entry.batch) { credit?.settle(reported) }
        for index in refunds.indices where moves(refunds[index].settlement, refunds[index].batch) {
            refunds[index].settlement = EntrySettlement(reported)
        }
    }

    /// The same batch from higher-ranked evidence. Without a batch, the payment itself is reported as settled.
    private mutating func confirmClosing(_ reported: Settlement) {
        for index in captures.indices { captures[index].confirmClosing(reported) }
        credit?.confirmClosing(reported)
        for index in refunds.indices { refunds[index].settlement.confirm(by: reported) }
        guard reported.batch != nil else { return }
        for index in settlement.batches.indices { settlement.batches[index].confirm(by: reported) }
    }

    mutating func rejectSettlement(_ reported: Settlement) {
        learn(References(), nil, reported.at)
        guard !outranks(.settlementRejected(reported)) else { return }
        report(.failed, of: reported)
        for index in captures.indices where captures[index].isSettled && captures[index].settledIn == reported.batch {
            captures[index].settlement = .open
        }
        for index in refunds.indices where refunds[index].isSettled && refunds[index].settledIn == reported.batch {
            refunds[index].settlement = .open
        }
        if let entry = credit, entry.isSettled, entry.settledIn == reported.batch {
            credit?.settlement = .open
        }
        settlement.batches.removeAll { $0.batch == reported.batch }
        settlement.isRejected = hasOpenMoney
    }

    /// The recorded closing of a batch.
    func closing(of batch: BatchReference) -> EntrySettlement? { settlement.batches.first { $0.batch == batch } }

    /// Keeps the last report of settlement. One from below the gateway's rank does not replace another one.
    private mutating func report(_ outcome: Outcome, of reported: Settlement) {
        let isRelayed = !reported.evidence.isConfirmation
        if isRelayed, let known = verdicts.settlement, !known.isRelayed { return }
        verdicts.settlement = Facet(
            outcome: outcome,
            response: reported.response,
            at: reported.at,
            isRelayed: isRelayed
        )
    }

    private var hasOpenMoney: Bool { captures.contains(where: \.isOpen) || credit?.isOpen ?? false }

    mutating func fund(_ reported: Settlement) {
        learn(References(), nil, reported.at)
        guard !settlement.fundings.contains(where: { $0.id.hasSameUTF8(as: reported.id) }) else { return }
        // Without an amount, all settled money has arrived.
        let amount = reported.amount ?? money((credit?.isSettled ?? false ? -credited : settled) - settlement.funded)
        guard let amount, admit(amount, isSigned: true) else { return }
        settlement.fundings.append(NamedAmount(id: reported.id, amount: amount))
        settlement.funded += amount.value
    }
}

extension CaptureEntry {
    /// Settles the capture. The batch that took it is also the highest-ranked evidence of the capture.
    fileprivate mutating func settle(_ reported: Settlement) {
        settlement = EntrySettlement(reported)
        raiseEvidence(by: reported)
    }

    fileprivate mutating func confirmClosing(_ reported: Settlement) {
        guard isSettled else { return }
        settlement.confirm(by: reported)
        if reported.batch != nil, reported.batch == settledIn { raiseEvidence(by: reported) }
    }

    /// A closing that names no amount reports nothing about an amount that is only relayed.
    private mutating func raiseEvidence(by reported: Settlement) {
        guard !reported.isInferred || evidence.isConfirmation else { return }
        if reported.evidence.rank > evidence.rank { evidence = reported.evidence }
    }
}
