import Canonical
import Payments

/// Compares a ledger's answers with the truth.
///
/// A payment is right if its status, its amounts and its batch are those of the truth. A payment whose evidence never
/// arrived is also right if the ledger lists it as in doubt.
package struct Scorer {
    private let truth: TruthFile
    private var found: [String: [LedgerPayment]] = [:]
    private var batches: [BatchName: LedgerBatch] = [:]
    /// The batches of each payment in the ledger, by its id.
    private var memberships: [String: Set<BatchName>] = [:]
    /// Nil until a day is added; then days are not scored.
    private var days: [Day: LedgerDay]?

    private struct Day: Hashable {
        var merchant: String
        var day: String
        var currency: String
    }

    package init(_ truth: TruthFile) {
        self.truth = truth
    }

    /// Adds a payment of the ledger. Payments of other sources are ignored when scoring.
    package mutating func add(_ payment: LedgerPayment) {
        guard let reference = payment.reference else { return }
        found[reference, default: []].append(payment)
    }

    /// True for batches of the simulation's terminals.
    package func concerns(_ batch: LedgerBatch) -> Bool { accounts.contains(batch.name.account) }

    private var accounts: Set<String> { Set(truth.payments.map(\.terminal)) }

    /// Adds a batch with the ids of the payments that have a line in it.
    package mutating func add(_ batch: LedgerBatch, members: some Sequence<String>) {
        batches[batch.name] = batch
        for id in members { memberships[id, default: []].insert(batch.name) }
    }

    package var merchants: [String] { Set(truth.payments.map(\.merchant)).sorted() }

    /// Adds one merchant's totals of each day.
    package mutating func add(_ found: [LedgerDay], of merchant: String) {
        var days = self.days ?? [:]
        for day in found { days[Day(merchant: merchant, day: day.day, currency: day.currency)] = day }
        self.days = days
    }

    package func score() -> Score {
        var score = Score()
        score.payments = truth.payments.count
        score.batches = truth.batches.count
        for payment in truth.payments { judge(payment, &score) }
        for batch in truth.batches { judge(batch, &score) }
        if let days { judge(days, &score) }
        return score
    }

    // MARK: Payments

    private func judge(_ truth: PaymentTruth, _ score: inout Score) {
        let payments = found[truth.reference] ?? []
        func mismatch(_ aspect: Mismatch.Aspect, _ expected: String, _ found: String) {
            score.mismatches.append(
                Mismatch(
                    aspect: aspect,
                    subject: truth.reference,
                    expected: expected,
                    found: found,
                    why: Self.reason(truth, payments)
                )
            )
        }
        let isMissing = truth.evidence == .missing
        guard let payment = payments.first else {
            score.inDoubt.count(isClaimed: false, isActual: isMissing, isRight: false)
            score.statuses.count(isClaimed: false, isActual: !isMissing, isRight: false)
            score.amounts.count(isClaimed: false, isActual: !isMissing, isRight: false)
            return mismatch(.absent, truth.status.rawValue, "no such payment")
        }
        if let shown = payment.localTime, let begun = truth.begunAt, !Self.isNear(shown, begun, in: truth.zone) {
            mismatch(.time, LocalTime(shown: begun.shown(in: truth.zone)).description, shown.description)
        }
        if payments.count > 1 { mismatch(.doubled, "one payment", "\(payments.count, "payment")") }
        score.inDoubt.count(
            isClaimed: payment.isUndecided,
            isActual: isMissing,
            isRight: isMissing && payment.isUndecided
        )
        let isStatusRight = payment.status == truth.status.rawValue
        let amounts = Self.differences(truth, payment)
        if payment.isUndecided {
            score.statuses.count(isClaimed: false, isActual: !isMissing, isRight: false)
            score.amounts.count(isClaimed: false, isActual: !isMissing, isRight: false)
            if !isMissing { mismatch(.inDoubt, truth.status.rawValue, payment.status) }
            return
        }
        score.statuses.count(isClaimed: true, isActual: !isMissing, isRight: isStatusRight)
        score.amounts.count(isClaimed: true, isActual: !isMissing, isRight: amounts.isEmpty)
        if !isStatusRight { mismatch(.status, truth.status.rawValue, payment.status) }
        for (name, expected, found) in amounts {
            mismatch(.amount, "\(name) \(expected)", "\(name) \(found)")
        }
        if let (expected, found) = judgeMembership(truth, payment, &score.membership) {
            mismatch(.membership, expected, found)
        }
    }

    /// Whether a local time is that of the payment's beginning or of the next hours, in which a lost answer is recovered.
    /// Most zones differ by more.
    private static func isNear(_ shown: LocalTime, _ begun: Timestamp, in zone: String?) -> Bool {
        let minutes = shown.asUTC.microseconds(since: begun.shown(in: zone)) / 60_000_000
        return (-15...150).contains(minutes)
    }

    /// - Returns: The expected and the found batches if they differ.
    private func judgeMembership(
        _ truth: PaymentTruth,
        _ payment: LedgerPayment,
        _ measure: inout Measure
    ) -> (expected: String, found: String)? {
        let claimed = memberships[payment.id] ?? []
        measure.claimed += claimed.count
        if truth.evidence == .complete, truth.batch != nil { measure.actual += 1 }
        guard claimed != Set([truth.batch].compactMap(\.self)) else {
            measure.right += claimed.count
            return nil
        }
        return (truth.batch?.text ?? "no batch", Self.list(claimed))
    }

    private static func list(_ names: Set<BatchName>) -> String {
        names.isEmpty ? "no batch" : names.map(\.text).sorted().joined(separator: ", ")
    }

    /// The amounts in the ledger that differ from the truth. The approved amount is compared only while it is captured
    /// or held.
    private static func differences(_ truth: PaymentTruth, _ payment: LedgerPayment) -> [(String, Int64, Int64)] {
        var pairs = [
            ("captured", truth.captured, payment.captured), ("tip", truth.tip, payment.tip),
            ("refunded", truth.refunded, payment.refunded), ("credited", truth.credited, payment.credited),
        ]
        if truth.captured > 0 || truth.status == .authorized {
            pairs.append(("authorized", truth.authorized, payment.authorized))
        }
        return pairs.filter { $0.1 != $0.2 }
    }

    private static func reason(_ truth: PaymentTruth, _ payments: [LedgerPayment]) -> String {
        var parts = ["\(truth.vendor.rawValue), \(truth.documents, "document")"]
        parts.append(truth.faults.isEmpty ? "no fault" : truth.faults.map(\.rawValue).joined(separator: ", "))
        if truth.evidence == .missing { parts.append("the evidence never came") }
        for payment in payments {
            let anomalies = payment.anomalies.isEmpty ? "" : ": " + payment.anomalies.joined(separator: ", ")
            parts.append("\(payment.id) is \(payment.status)\(anomalies)")
        }
        return parts.joined(separator: "; ")
    }

    // MARK: Batches

    private func judge(_ truth: BatchTruth, _ score: inout Score) {
        let batch = batches[truth.batch]
        func mismatch(_ expected: String, _ found: String) {
            score.mismatches.append(
                Mismatch(
                    aspect: .batch,
                    subject: truth.batch.text,
                    expected: expected,
                    found: found,
                    why: "\(truth.members, "payment"), \(truth.unknownNet) of the net unknown"
                )
            )
        }
        let isClosed = batch?.isClosed ?? false
        if isClosed != truth.isClosed {
            mismatch(truth.isClosed ? "closed" : "not closed", batch?.status ?? "no such batch")
        }
        let net = batch?.net[truth.currency] ?? 0
        let known = truth.net - truth.unknownNet
        if net != known { mismatch("net \(known) \(truth.currency)", "net \(net) \(truth.currency)") }
        let sums = batch?.sums[truth.currency] ?? MoneySums()
        if sums != truth.known { mismatch(truth.known.text, sums.text) }
    }

    // MARK: Days

    /// The totals that the ledger can know for each merchant's day, in the merchant's zone.
    private var trueDays: [Day: MoneySums] {
        var sums: [Day: MoneySums] = [:]
        for payment in truth.payments where payment.evidence == .complete {
            func day(_ time: Timestamp) -> Day {
                Day(
                    merchant: payment.merchant,
                    day: String(time.shown(in: payment.zone).rfc3339.prefix(10)),
                    currency: payment.currency
                )
            }
            if let at = payment.moneyAt {
                sums[day(at), default: MoneySums()].captured += payment.captured
                sums[day(at), default: MoneySums()].tip += payment.tip
                sums[day(at), default: MoneySums()].credited += payment.credited
            }
            if let at = payment.refundedAt { sums[day(at), default: MoneySums()].refunded += payment.refunded }
        }
        return sums
    }

    private func judge(_ found: [Day: LedgerDay], _ score: inout Score) {
        let expected = trueDays.filter { $0.value != MoneySums() }
        score.days = expected.count
        let names = Set(expected.keys).union(found.keys)
        for name in names.sorted(by: { ($0.merchant, $0.day, $0.currency) < ($1.merchant, $1.day, $1.currency) }) {
            let truth = expected[name] ?? MoneySums()
            let answer = found[name]?.sums ?? MoneySums()
            let net = found[name]?.net ?? 0
            guard truth != answer || truth.net != net else { continue }
            score.mismatches.append(
                Mismatch(
                    aspect: .day,
                    subject: "\(name.merchant)/\(name.day)/\(name.currency)",
                    expected: "\(truth.text), net \(truth.net)",
                    found: "\(answer.text), net \(net)",
                    why: "the totals of a merchant's business day"
                )
            )
        }
    }
}

extension BatchName {
    /// For example `dejavoo/794524937054/243`.
    package var text: String { [vendor.rawValue, account, number ?? "open"].joined(separator: "/") }
}
