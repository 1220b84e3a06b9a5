import Canonical

// The fold of reports by batches and the bank.
extension TransactionState {
    mutating func expire(_ reported: Settlement) {
        learn(References(), nil, reported.at)
        guard !outranks(.expired(reported)) else { return }
        closing.isExpired = true
    }

    /// I7: only open money is settled, and money that the closing of another use of its number took. So no capture is
    /// ever in two closed batches.
    mutating func settle(_ reported: Settlement) {
        let reported = reported.isInferred ? reported : inGeneration(reported)
        learn(References(), nil, reported.at)
        report(.approved, of: reported)
        let named = reported.batch
        // Money that was assigned to this use of a number after the closing of another use took it.
        func isFree(_ entry: CaptureEntry) -> Bool {
            entry.isOpen || named.map { entry.isTakenOver(by: $0) } ?? false
        }
        func isFree(_ entry: ReturnEntry) -> Bool {
            entry.isOpen || named.map { entry.isTakenOver(by: $0) } ?? false
        }
        let isNamed =
            named != nil
            && (captures.contains { isFree($0) && $0.batch == named }
                || refunds.contains { isFree($0) && $0.batch == named }
                || credit.map { isFree($0) && $0.batch == named } ?? false)
        let isRepeated = named.flatMap(closing(of:)) != nil
        // A batch settles the entries that name it. A batch number is often known only after the batch is closed: in
        // that case the batch settles the open payment, or the open refunds if the payment is already settled.
        // An unnamed batch is closed repeatedly, and each closing takes the money made before it.
        let end = reported.isInferred && named?.number == nil ? reported.closedAt : nil
        func takes(_ batch: BatchReference?, _ madeAt: OccurrenceTime, isAwaited: Bool) -> Bool {
            if let batch, let named, batch.isOtherUse(than: named) { return false }
            guard let end else { return isNamed ? batch == named : !isRepeated }
            return batch?.number == nil && isAwaited && !end.isBefore(madeAt)
        }
        func takes(_ entry: CaptureEntry) -> Bool {
            isFree(entry) && takes(entry.batch, entry.madeAt, isAwaited: entry.awaitsClosing)
        }
        func takes(_ entry: ReturnEntry) -> Bool {
            isFree(entry) && takes(entry.batch, entry.madeAt, isAwaited: entry.awaitsClosing)
        }
        var takesRefunds = true
        let isOpen =
            captures.contains { takes($0) } || refunds.contains { takes($0) } || credit.map { takes($0) } ?? false
        takeOver(reported, isOpen: isOpen)
        for index in captures.indices where takes(captures[index]) {
            captures[index].settle(reported)
            takesRefunds = isNamed || end != nil
        }
        if let entry = credit, takes(entry) { credit?.settle(reported) }
        if takesRefunds {
            for index in refunds.indices where takes(refunds[index]) {
                refunds[index].settlement = EntrySettlement(reported)
            }
        }
        confirmClosing(reported)
        if named != nil, !isRepeated { settlement.batches.append(EntrySettlement(reported)) }
        settlement.isRejected = settlement.isRejected && hasOpenMoney
    }

    /// Moves settled money to the batch that the gateway's own report, or settlement's, names: money whose batch is not
    /// known, and money that is in another batch only by a relayed closing. What names the batch moves, or else, if
    /// nothing is open, what makes up the reported amount.
    private mutating func takeOver(_ reported: Settlement, isOpen: Bool) {
        guard let named = reported.batch, reported.evidence.isConfirmation, closing(of: named)?.isRelayed ?? true else {
            return
        }
        func isElsewhere(_ settlement: EntrySettlement) -> Bool {
            settlement.isSettled && settlement.batch != named && (settlement.batch == nil || settlement.isRelayed)
        }
        for index in captures.indices where captures[index].batch == named && isElsewhere(captures[index].settlement) {
            captures[index].move(reported, to: named)
        }
        if let entry = credit, entry.batch == named, isElsewhere(entry.settlement) { credit?.move(reported, to: named) }
        for index in refunds.indices where refunds[index].batch == named && isElsewhere(refunds[index].settlement) {
            refunds[index].settlement = EntrySettlement(reported)
        }
        guard !isOpen, let amount = reported.amount?.value.magnitude else { return }
        if let entry = credit, isElsewhere(entry.settlement), entry.net.magnitude == amount {
            credit?.move(reported, to: named)
        }
        let taken = captures.indices.filter { isElsewhere(captures[$0].settlement) && captures[$0].net > 0 }
        let parts = Self.parts(taken.map { ($0, captures[$0].net) }, of: amount)
        for index in parts { captures[index].move(reported, to: named) }
        guard parts.isEmpty else { return }
        let given = refunds.indices.filter { isElsewhere(refunds[$0].settlement) }
        for index in Self.parts(given.map { ($0, refunds[$0].amount) }, of: amount) {
            refunds[index].settlement = EntrySettlement(reported)
        }
    }

    /// The lines that make up an amount: all of them, or else one.
    private static func parts(_ lines: [(index: Int, amount: Int64)], of amount: UInt64) -> [Int] {
        if lines.reduce(0, { $0 + $1.amount.magnitude }) == amount { return lines.map(\.index) }
        return lines.first { $0.amount.magnitude == amount }.map { [$0.index] } ?? []
    }

    /// The same batch from higher-ranked evidence. Without a batch, the payment itself is reported as settled.
    private mutating func confirmClosing(_ reported: Settlement) {
        for index in captures.indices { captures[index].confirmClosing(reported) }
        credit?.confirmClosing(reported)
        // Without a batch, it is about the payment, and not about its refunds.
        guard reported.batch != nil else { return }
        for index in refunds.indices { refunds[index].settlement.confirm(by: reported) }
        for index in settlement.batches.indices { settlement.batches[index].confirm(by: reported) }
    }

    mutating func rejectSettlement(_ reported: Settlement) {
        let reported = inGeneration(reported)
        learn(References(), nil, reported.at)
        guard !outranks(.settlementRejected(reported)) else { return }
        report(.failed, of: reported)
        for index in captures.indices where captures[index].isSettled && captures[index].settledIn == reported.batch {
            captures[index].settlement = .rejected
        }
        for index in refunds.indices where refunds[index].isSettled && refunds[index].settledIn == reported.batch {
            refunds[index].settlement = .rejected
        }
        if let entry = credit, entry.isSettled, entry.settledIn == reported.batch {
            credit?.settlement = .rejected
        }
        settlement.batches.removeAll { $0.batch == reported.batch }
        settlement.isRejected = hasOpenMoney
    }

    /// The recorded closing of a batch.
    func closing(of batch: BatchReference) -> EntrySettlement? { settlement.batches.first { $0.batch == batch } }

    /// The recorded closing that took money of this batch. Money in no named batch is in an unnamed one, if that was
    /// not closed before the money was made.
    func closing(of batch: BatchReference?, madeAt: OccurrenceTime) -> EntrySettlement? {
        if let batch, batch.number != nil { return closing(of: batch) }
        return settlement.batches.first { closed in
            guard let taken = closed.batch, taken.number == nil else { return false }
            guard let end = closed.closedAt else { return taken == batch }
            return !end.isBefore(madeAt)
        }
    }

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

    /// Moves the capture to the batch that a report names. What is reported of it without a batch stays.
    fileprivate mutating func move(_ reported: Settlement, to batch: BatchReference) {
        guard case .settled(nil) = settlement else { return settle(reported) }
        settlement = .settled(in: batch)
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
