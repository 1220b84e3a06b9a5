package import Canonical
package import Payments

/// What is known about a closed batch whose host told a net.
package struct BatchEvidence: Sendable {
    /// A payment of the batch's account and time that has no line of money anywhere.
    package struct Undecided: Sendable, Hashable {
        package var transaction: UUID128
        /// What it would add to a net.
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
    /// The batch's lines when everything up to the closing was in.
    package var atClose: [BatchLine]
    package var now: [BatchLine]
    /// Lines of the same account and time that are in another batch, or in none that has a name.
    package var elsewhere: [BatchLine]
    package var undecided: [Undecided]
    /// What was told of lines of the batch, and is not counted because it contradicts what was told before.
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

    /// Compares, and names the payments behind a difference.
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

    /// The payments worth looking at when nothing fits.
    private static let suspectLimit = 100

    private func judge(
        _ difference: Int64,
        isAsAtClose: Bool,
        _ changes: [BatchDiscrepancy]
    ) -> (BatchAgreement.Verdict, [[BatchDiscrepancy]]) {
        if difference == 0 { return (.agrees, []) }
        // A host that knows nothing of what came later needs no other reason.
        if isAsAtClose { return (.changedSinceClose, [changes]) }
        // What is uncertain by itself comes before what only has the right amount.
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

    // MARK: What may be seen differently

    /// Lines that are not what they were at the closing.
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

    /// Lines that are what they were at the closing: the host may lack one whole, or a void of it.
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

/// A line of money of one payment; by bytes, as what only looks the same is another line.
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
    /// A line cannot be missing and have another amount.
    fileprivate var namesEachLineOnce: Bool {
        Set(map { LineName(transaction: $0.transaction, line: [UInt8](($0.line ?? "").utf8)) }).count == count
    }
}
