package import Canonical
package import Payments
package import Projections

/// The host's and the ledger's net of a closed batch, the difference, and the sets of payments that account for it. A
/// batch that is not closed, or whose host reported no net, has the verdict only.
package struct AgreementJSON: Codable, Sendable, Hashable {
    package enum Verdict: String, Codable, Sendable, CaseIterable {
        case notReported = "not-reported"
        case agrees
        case changedSinceClose = "changed-since-close"
        case explained
        case ambiguous
        case unexplained
    }

    package var verdict: Verdict
    package var closingPosition: Int64?
    package var host: Money?
    package var atClose: Money?
    package var ledger: Money?
    package var difference: Money?
    package var explanations: [[DiscrepancyJSON]]?
    package var partial: Bool?

    package init(_ agreement: BatchAgreement?) {
        guard let agreement else {
            verdict = .notReported
            return
        }
        verdict =
            switch agreement.verdict {
            case .agrees: .agrees
            case .changedSinceClose: .changedSinceClose
            case .explained: .explained
            case .ambiguous: .ambiguous
            case .unexplained: .unexplained
            }
        closingPosition = agreement.closingPosition
        host = agreement.host
        atClose = agreement.atClose
        ledger = agreement.ledger
        difference = agreement.difference
        explanations = agreement.explanations.map { $0.map { DiscrepancyJSON($0, in: agreement.host.currency) } }
        partial = agreement.isPartial
    }
}

/// One payment that host and ledger may see differently.
package struct DiscrepancyJSON: Codable, Sendable, Hashable {
    package var kind: BatchDiscrepancy.Kind
    package var transaction: UUID128
    package var line: String?
    package var ledger: Money?
    package var host: Money?
    package var effect: Money

    package init(_ discrepancy: BatchDiscrepancy, in currency: Currency) {
        kind = discrepancy.kind
        transaction = discrepancy.transaction
        line = discrepancy.line
        ledger = discrepancy.ledger.map { Money($0, currency) }
        host = discrepancy.host.map { Money($0, currency) }
        effect = Money(discrepancy.effect, currency)
    }
}
