import Canonical

// The fold of refunds and chargebacks.
extension TransactionState {
    mutating func refund(_ reported: Return) {
        add(reported, to: \.refunds, undone: \.pending.refundVoids, open: remaining)
    }

    mutating func chargeBack(_ reported: Return) {
        add(reported, to: \.chargebacks, undone: \.pending.chargebackReversals, open: remaining - chargedBack)
    }

    mutating func voidRefund(_ reported: Return) {
        guard !outranks(.refundVoided(reported)) else { return }
        if credit != nil && !refunds.contains(where: { $0.id.hasSameUTF8(as: reported.id) }) { return void(reported) }
        undo(reported, in: \.refunds, else: \.pending.refundVoids)
    }

    mutating func reverseChargeback(_ reported: Return) {
        guard !outranks(.chargebackReversed(reported)) else { return }
        undo(reported, in: \.chargebacks, else: \.pending.chargebackReversals)
    }

    private mutating func undo(
        _ reported: Return,
        in entries: WritableKeyPath<TransactionState, [ReturnEntry]>,
        else pending: WritableKeyPath<TransactionState, [PendingUndo]>
    ) {
        learn(reported.references, nil, reported.at)
        if let index = self[keyPath: entries].firstIndex(where: { $0.id.hasSameUTF8(as: reported.id) }) {
            if self[keyPath: entries][index].settlement.isOverruled(by: reported.evidence) {
                self[keyPath: entries][index].settlement = .open
            }
            if !self[keyPath: entries][index].isSettled { self[keyPath: entries][index].undo(by: reported) }
        } else if let index = self[keyPath: pending].firstIndex(where: { $0.id.hasSameUTF8(as: reported.id) }) {
            if reported.evidence.rank > self[keyPath: pending][index].evidence.rank {
                self[keyPath: pending][index].evidence = reported.evidence
            }
        } else {
            self[keyPath: pending].append(PendingUndo(id: reported.id, evidence: reported.evidence))
        }
    }

    private mutating func add(
        _ reported: Return,
        to entries: WritableKeyPath<TransactionState, [ReturnEntry]>,
        undone: WritableKeyPath<TransactionState, [PendingUndo]>,
        open: Int64
    ) {
        learn(reported.references, nil, reported.at)
        if let index = self[keyPath: entries].firstIndex(where: { $0.id.hasSameUTF8(as: reported.id) }) {
            let known = self[keyPath: entries][index]
            guard reported.evidence.rank > known.evidence.rank else { return }
            let isConfirmation = reported.evidence.confirms(known.evidence)
            if let amount = reported.amount, amount.value != known.amount || amount.currency != currency {
                // The gateway's own amount replaces the relayed one.
                guard isConfirmation, admit(amount) else { return }
                self[keyPath: entries][index].amount = amount.value
            }
            self[keyPath: entries][index].evidence = reported.evidence
            guard isConfirmation else { return }
            let batch = reported.batch ?? known.batch
            self[keyPath: entries][index].batch = batch
            if self[keyPath: entries][index].isOpen, let closed = batch.flatMap(closing(of:)) {
                self[keyPath: entries][index].settlement = closed
            }
            return
        }
        let amount = reported.amount ?? money(max(0, open))
        if let amount, !admit(amount) { return }
        var entry = ReturnEntry(
            id: reported.id,
            amount: amount?.value ?? 0,
            evidence: reported.evidence,
            batch: reported.batch,
            references: reported.references,
            at: times.event,
            localAt: reported.at?.local
        )
        if let index = self[keyPath: undone].firstIndex(where: { $0.id.hasSameUTF8(as: reported.id) }) {
            entry.undoneBy = self[keyPath: undone].remove(at: index).evidence
        }
        if !entry.isUndone, let closed = closing(of: reported.batch, madeAt: entry.madeAt) { entry.settlement = closed }
        self[keyPath: entries].append(entry)
    }
}

extension ReturnEntry {
    fileprivate mutating func undo(by reported: Return) {
        guard undoneBy.map({ $0.rank < reported.evidence.rank }) ?? true else { return }
        undoneBy = reported.evidence
        undoingLine = reported.statementLine
    }
}
