package import Canonical
package import Payments

/// The evidence about a closed batch whose host reported a net.
package struct BatchEvidence: Sendable {
    /// A payment of the batch's account and period without a line of money anywhere.
    package struct Undecided: Sendable, Hashable {
        package var transaction: UUID128
        /// The amount that it would add to a net.
        package var net: Int64
        package var isInDoubt: Bool

        package init(transaction: UUID128, net: Int64, isInDoubt: Bool) {
            self.transaction = transaction
            self.net = net
            self.isInDoubt = isInDoubt
        }
    }

    package var closingPosition: Int64
    package var host: Money
    /// The batch's lines from all events up to the closing.
    package var atClose: [BatchLine]
    package var now: [BatchLine]
    /// Lines of the same account and period that are in another batch or in an unnamed one.
    package var elsewhere: [BatchLine]
    package var undecided: [Undecided]
    /// Reports about lines of the batch that are not counted because they contradict earlier reports.
    package var contested: [BatchDiscrepancy]

    package init(
        closingPosition: Int64,
        host: Money,
        atClose: [BatchLine],
        now: [BatchLine],
        elsewhere: [BatchLine] = [],
        undecided: [Undecided] = [],
        contested: [BatchDiscrepancy] = []
    ) {
        self.closingPosition = closingPosition
        self.host = host
        self.atClose = atClose.filter { $0.amount.currency == host.currency }
        self.now = now.filter { $0.amount.currency == host.currency }
        self.elsewhere = elsewhere.filter { $0.amount.currency == host.currency }
        self.undecided = undecided
        self.contested = contested
    }

    /// Compares the nets and names the payments behind a difference.
    package func agreement() -> BatchAgreement {
        let (before, after) = (Self.net(of: atClose), Self.net(of: now))
        let difference = host.value.subtractingSaturated(after)
        let changes = self.changes()
        let (verdict, explanations) = judge(difference, isAsAtClose: host.value == before, changes)
        return BatchAgreement(
            verdict: verdict,
            closingPosition: closingPosition,
            host: host,
            atClose: Money(before, host.currency),
            ledger: Money(after, host.currency),
            difference: Money(difference, host.currency),
            explanations: explanations
        )
    }

    /// The most payments listed as suspects when nothing fits.
    private static let suspectLimit = 100

    private func judge(
        _ difference: Int64,
        isAsAtClose: Bool,
        _ changes: [BatchDiscrepancy]
    ) -> (BatchAgreement.Verdict, [[BatchDiscrepancy]]) {
        if difference == 0 { return (.agrees, []) }
        // The host's net predates the later changes; no other explanation is needed.
        if isAsAtClose { return (.changedSinceClose, [changes]) }
        // Lines with uncertain evidence come before lines that merely have a fitting amount.
        let uncertain = changes + contested + moved() + undecided.filter(\.isInDoubt).map(Self.missingHere)
        var found = SubsetSearch(uncertain.map(\.effect)).smallest(adding: difference, size: 3)
        var candidates = uncertain
        if found.isEmpty {
            candidates += untouched() + undecided.filter { !$0.isInDoubt }.map(Self.missingHere)
            found = SubsetSearch(candidates.map(\.effect)).smallest(adding: difference, size: 2)
        }
        let sets = found.map { $0.map { candidates[$0] } }.filter(\.namesEachLineOnce)
        return switch sets.count {
        case 0: (.unexplained, uncertain.prefix(Self.suspectLimit).map { [$0] })
        case 1: (.explained, sets)
        default: (.ambiguous, sets)
        }
    }

    // MARK: Possible discrepancies

    /// Lines that differ from their state at the closing.
    private func changes() -> [BatchDiscrepancy] {
        let earlier = Dictionary(atClose.map { ($0.name, $0) }) { first, _ in first }
        let later = Set(now.map(\.name))
        let changed = now.compactMap { line -> BatchDiscrepancy? in
            guard let before = earlier[line.name] else {
                return line.discrepancy(.missingThere, ledger: line.net, host: nil)
            }
            guard before.net != line.net else { return nil }
            let isTip = before.tip != line.tip && before.voided == line.voided
            return line.discrepancy(isTip ? .tipAfterClose : .amountDiffers, ledger: line.net, host: before.net)
        }
        let gone = atClose.filter { !later.contains($0.name) }
            .map { $0.discrepancy(.missingHere, ledger: nil, host: $0.net) }
        return changed + gone.filter { $0.effect != 0 }
    }

    private func moved() -> [BatchDiscrepancy] {
        let gone = Set(atClose.map(\.name))
        return elsewhere.filter { $0.net != 0 && !gone.contains($0.name) }
            .map { $0.discrepancy(.missingHere, ledger: nil, host: $0.net) }
    }

    /// Lines unchanged since the closing: the host may lack the whole line, or a void of it.
    private func untouched() -> [BatchDiscrepancy] {
        let earlier = Dictionary(atClose.map { ($0.name, $0) }) { first, _ in first }
        return now.filter { earlier[$0.name]?.net == $0.net }.flatMap { line in
            var lacking: [BatchDiscrepancy] = []
            if line.net != 0 { lacking.append(line.discrepancy(.missingThere, ledger: line.net, host: nil)) }
            if line.voided > 0 {
                var whole = line
                whole.voided = 0
                lacking.append(line.discrepancy(.amountDiffers, ledger: line.net, host: whole.net))
            }
            return lacking
        }
    }

    private static func missingHere(_ payment: Undecided) -> BatchDiscrepancy {
        BatchDiscrepancy(
            kind: .missingHere,
            transaction: payment.transaction,
            line: nil,
            ledger: nil,
            host: payment.net
        )
    }

    private static func net(of lines: [BatchLine]) -> Int64 {
        lines.reduce(0) { $0.addingSaturated($1.net) }
    }
}

/// The name of one payment's line of money. It compares bytes, because text that is canonically equivalent may name
/// different lines.
private struct LineName: Hashable {
    var transaction: UUID128
    var line: [UInt8]
}

extension BatchLine {
    fileprivate var name: LineName { LineName(transaction: transaction, line: Array(line.utf8)) }

    fileprivate func discrepancy(
        _ kind: BatchDiscrepancy.Kind,
        ledger: Int64?,
        host: Int64?
    ) -> BatchDiscrepancy {
        BatchDiscrepancy(kind: kind, transaction: transaction, line: line, ledger: ledger, host: host)
    }
}

extension [BatchDiscrepancy] {
    /// Whether each line occurs once: a line cannot be both missing and different in amount.
    fileprivate var namesEachLineOnce: Bool {
        Set(map { LineName(transaction: $0.transaction, line: [UInt8](($0.line ?? "").utf8)) }).count == count
    }
}
