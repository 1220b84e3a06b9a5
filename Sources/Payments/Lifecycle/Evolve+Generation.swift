package import Canonical

// The fold of which use of a batch number a line of money is in.
extension TransactionState {
    /// Puts a line of money into a generation of its batch number. A settlement that only follows from a closing of the
    /// number is that of this generation. A line that is in a batch of another number stays there.
    mutating func assign(_ assignment: BatchAssignment) {
        let batch = assignment.batch
        func isOfNumber(_ known: BatchReference?) -> Bool { known.map { $0.hasNumber(of: batch) } ?? true }
        if let index = captures.firstIndex(where: { $0.line.hasSameUTF8(as: assignment.line) }) {
            guard isOfNumber(captures[index].batch) else { return }
            let settlement = moved(captures[index].settlement, to: batch, captures[index].isOpen)
            captures[index].batch = batch
            captures[index].settlement = settlement
        } else if let index = refunds.firstIndex(where: { $0.refundLine.hasSameUTF8(as: assignment.line) }) {
            guard isOfNumber(refunds[index].batch) else { return }
            let settlement = moved(refunds[index].settlement, to: batch, refunds[index].isOpen)
            refunds[index].batch = batch
            refunds[index].settlement = settlement
        } else if assignment.line.hasSameUTF8(as: CaptureEntry.creditLine), var entry = credit {
            guard isOfNumber(entry.batch) else { return }
            entry.batch = batch
            entry.settlement = moved(entry.settlement, to: batch, entry.isOpen)
            credit = entry
        }
    }

    /// What is known of the settlement of a line that is in this generation.
    private func moved(_ known: EntrySettlement, to batch: BatchReference, _ isOpen: Bool) -> EntrySettlement {
        let taking = closing(ofUse: batch)
        switch known {
        case .open: return isOpen ? taking ?? .open : .open
        case .rejected: return .rejected
        case .settled(let named):
            // The report is about the money, and names only the number.
            guard let named, named.isOtherUse(than: batch) else { return known }
            return .settled(in: named.inGeneration(batch.generation))
        case .closed, .relayed:
            guard let named = known.batch, named.isOtherUse(than: batch) else { return known }
            // Until the closing of this generation is recorded, the one that took the money stands.
            return taking ?? known
        }
    }

    /// The recorded closing of a batch, which may name the batch's account differently. Not one that names the account
    /// of another line: that may be a batch of another terminal.
    private func closing(ofUse batch: BatchReference) -> EntrySettlement? {
        if let own = closing(of: batch) { return own }
        let others = lineBatches.filter { !$0.account.hasSameUTF8(as: batch.account) }
        return settlement.batches.first { known in
            guard let closed = known.batch, closed.isUse(batch) else { return false }
            return !others.contains { $0.hasNumber(of: closed) && $0.account.hasSameUTF8(as: closed.account) }
        }
    }

    /// The batches of the payment's lines of money.
    private var lineBatches: [BatchReference] {
        (captures.map(\.batch) + refunds.map(\.batch) + [credit?.batch]).compactMap(\.self)
    }
}

extension TransactionState {
    /// The report about the generation that the payment's money is in. Documents name only the number; a closing that
    /// the ledger records on its payments names the generation.
    func inGeneration(_ reported: Settlement) -> Settlement {
        guard let named = reported.batch, named.number != nil, named.generation == 1 else { return reported }
        let own = lineBatches
        guard !own.contains(where: named.isUse), let used = own.last(where: named.isOtherUse) else { return reported }
        var reported = reported
        reported.batch = named.inGeneration(used.generation)
        return reported
    }
}

extension EntrySettlement {
    /// True if a closing of another use of the number took the money than the one that it was assigned to: the closing
    /// of that one takes it over.
    package func isOfAnotherUse(than batch: BatchReference?) -> Bool {
        guard !isReported, let batch, let closed = self.batch else { return false }
        return closed.isOtherUse(than: batch)
    }

    /// Whether this closing takes over money of a batch that the closing of another use of the number took.
    fileprivate func isTakenOver(by closed: BatchReference, of batch: BatchReference?) -> Bool {
        isOfAnotherUse(than: batch) && batch.map(closed.isUse) ?? false
    }
}

extension CaptureEntry {
    /// Whether a closing takes over the money from the closing of another use of its batch number.
    func isTakenOver(by closed: BatchReference) -> Bool { settlement.isTakenOver(by: closed, of: batch) }
}

extension ReturnEntry {
    /// Whether a closing takes over the refund from the closing of another use of its batch number.
    func isTakenOver(by closed: BatchReference) -> Bool { settlement.isTakenOver(by: closed, of: batch) }
}

extension TransactionState {
    /// Whether a closing takes over money from the closing of another use of its batch number.
    func takesOver(_ closed: BatchReference) -> Bool {
        captures.contains { $0.isTakenOver(by: closed) } || refunds.contains { $0.isTakenOver(by: closed) }
            || credit?.isTakenOver(by: closed) ?? false
    }
}

extension BatchReference {
    /// True for another use of the same number. The account may have another name.
    func isOtherUse(than other: BatchReference) -> Bool {
        hasNumber(of: other) && generation != other.generation
    }

    /// True for the same use of the same number. The account may have another name.
    func isUse(_ other: BatchReference) -> Bool { hasNumber(of: other) && generation == other.generation }

    /// The batch of a line after a further report about it: one that names only the number leaves the generation.
    static func named(by reported: BatchReference?, after known: BatchReference?) -> BatchReference? {
        guard let reported else { return known }
        guard let known, reported.generation == 1, reported.hasSameNumber(as: known) else { return reported }
        return known
    }

    fileprivate func hasNumber(of other: BatchReference) -> Bool {
        number != nil && vendor == other.vendor && number.hasSameUTF8(as: other.number)
    }
}

extension CaptureEntry {
    /// The name of a capture's line of money within its payment.
    package var line: String { "capture:\(id)" }

    /// The name of the line of a standalone refund.
    package static let creditLine = "credit"
}

extension ReturnEntry {
    /// The name of a refund's line of money within its payment.
    package var refundLine: String { "refund:\(id)" }
}

extension TransactionEvent {
    /// The line of money that the fact reports, with the batch and time that it names; nil for other facts.
    package var reportedLine: (line: String, batch: BatchReference?, at: ReportedTime?)? {
        switch self {
        case .captured(let capture): (line: "capture:\(capture.id)", batch: capture.batch, at: capture.at)
        case .creditApproved(let approval): (line: CaptureEntry.creditLine, batch: approval.batch, at: approval.at)
        case .refunded(let refund): (line: "refund:\(refund.id)", batch: refund.batch, at: refund.at)
        default: nil
        }
    }
}
