import Canonical
import DaybookTestKit
import EventLog
import Payments

/// Payments and batches of two tenants in a random order of events, because any order can occur.
struct RandomHistory {
    private var random: SeededGenerator

    init(_ random: SeededGenerator) { self.random = random }

    /// Appends at least `count` facts.
    mutating func record(_ count: Int, in log: TestLog) async throws {
        for _ in 0..<count {
            let tenant = Bool.random(using: &random) ? "acme" : "other"
            let at = log.clock.now().adding(microseconds: Int64.random(in: -1_000_000...1_000_000, using: &random))
            if Int.random(in: 0..<6, using: &random) == 0 {
                let batch = self.batch()
                try await log.record([batchFact(batch)], about: batch, of: tenant)
            } else {
                let facts = (0..<Int.random(in: 1...3, using: &random)).map { _ in fact() }
                let payment = Samples.id(Int.random(in: 0..<25, using: &random))
                try await log.record(facts, about: payment, of: tenant, occurredAt: at)
            }
        }
    }

    private mutating func batch() -> BatchReference {
        Samples.batch("\(Int.random(in: 1...3, using: &random))", account: Bool.random(using: &random) ? "tpn-1" : nil)
    }

    private mutating func optionalBatch() -> BatchReference? { Bool.random(using: &random) ? batch() : nil }

    private mutating func amount() -> Int64 { Int64.random(in: 0...2_000, using: &random) }

    private mutating func fact() -> TransactionEvent {
        let name = "\(Int.random(in: 1...3, using: &random))"
        let references = References(
            gatewayTransaction: Bool.random(using: &random) ? "g\(name)" : nil,
            // PostgreSQL cannot store this character, and senders may send it.
            invoice: Bool.random(using: &random) ? "inv\u{0}\(name)" : nil
        )
        let at = time(1_767_000_000_000_000)
        switch Int.random(in: 0..<16, using: &random) {
        case 0: return Samples.document(terminal: Bool.random(using: &random) ? "tpn-1" : nil)
        case 1: return .saleRequested(request(at))
        case 2, 3:
            let card = Samples.card(name == "1" ? "Visa" : "AMEX", funding: name == "2" ? "debit" : nil)
            return .authorizationApproved(Samples.approval(amount(), references: references, card: card, at: at))
        case 4, 5, 6:
            return .captured(taxed(Samples.capture(Capture.saleID, amount(), tip: 10, batch: optionalBatch())))
        case 7: return .captured(taxed(Samples.capture(name, amount(), batch: optionalBatch())))
        case 8: return .tipAdjusted(TipAdjustment(tip: Samples.usd(amount()), evidence: .gateway))
        case 9: return .voided(Samples.taken(name, Bool.random(using: &random) ? nil : amount()))
        case 10: return .refunded(Samples.taken(name, amount(), batch: optionalBatch()))
        case 11: return .refundVoided(Samples.taken(name, nil))
        case 12: return .settled(Settlement(id: name, batch: optionalBatch()))
        case 13: return .creditApproved(Samples.approval(amount()))
        case 14: return .declined(Verdict(evidence: .gateway, response: Response(code: "05")))
        default: return .anomalyRaised(Anomaly(.captureNotAllowed, name))
        }
    }

    /// A request with taxes or health-care portions, by its amount.
    private mutating func request(_ at: ReportedTime?) -> PaymentRequest {
        let total = amount()
        var request = PaymentRequest(amounts: Samples.taxed(Amounts(total: Samples.usd(total))), at: at)
        guard total % 2 == 0 else { return request }
        var care = HealthCare()
        care.amount = Samples.usd(total / 2)
        care.vision = Samples.usd(total / 4)
        request.circumstances = Circumstances()
        request.circumstances?.healthCare = care
        return request
    }

    private func taxed(_ capture: Capture) -> Capture {
        var capture = capture
        capture.amounts = Samples.taxed(capture.amounts)
        return capture
    }

    /// No time, an instant or a local time.
    private mutating func time(_ microseconds: Int64) -> ReportedTime? {
        let time = Timestamp(microsecondsSince1970: microseconds)
        return switch Int.random(in: 0..<3, using: &random) {
        case 0: nil
        case 1: .instant(time)
        default: .local(LocalTime(shown: time))
        }
    }

    private mutating func batchFact(_ batch: BatchReference) -> BatchEvent {
        let at = time(1_767_100_000_000_000)
        let closing = BatchClosing(batch: batch, response: Response(code: "00"), at: at)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .batchCloseRequested(closing)
        case 1: return .batchClosed(closing)
        case 2: return .batchCloseFailed(closing)
        default:
            return .batchOutOfBalance(BatchImbalance(batch: batch, host: HostTotals(count: 1), ledger: HostTotals()))
        }
    }
}
