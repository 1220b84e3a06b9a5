package import Canonical
import Payments

/// Compares a ledger's answers with the truth.
///
/// A payment is right if its status, its amounts and its batch are those of the truth. A payment whose evidence never
/// arrived is also right if the ledger lists it as in doubt.
package struct Scorer {
    let truth: TruthFile
    private var found: [String: [LedgerPayment]] = [:]
    private var batches: [BatchName: LedgerBatch] = [:]
    /// The batches of each payment in the ledger, by its id.
    private var memberships: [String: Set<BatchName>] = [:]
    /// The merchants of their other names, as the ledger links them.
    private var merchantsByName: [String: String] = [:]
    /// The merchants under which the ledger lists payments that name none, by the payment's id.
    private var merchantsByPayment: [String: String] = [:]
    /// The time of each payment's receipt, by the payment's id, where it was read.
    private var receipts: [String: String?] = [:]
    /// Nil until a day is added; then days are not scored.
    private var days: [Day: LedgerDay]?

    /// The gateway's ids of payments whose results may arrive under the next sale.
    private let recovered: Set<String>
    /// The batches of which documents report only that they were to be closed.
    private let initiated: Set<BatchName>

    struct Day: Hashable {
        var merchant: String
        var day: String
        var currency: String
    }

    package init(_ truth: TruthFile) {
        self.truth = truth
        initiated = Set(truth.batches.filter(\.isOnlyInitiated).map(\.batch))
        recovered = Set(
            truth.payments.filter { $0.evidence == .indirect && $0.troubles.contains(.recoveredLater) }
                .compactMap { $0.id("gatewayTransaction") }
        )
    }

    /// Adds a payment of the ledger. Payments of other sources are ignored when scoring.
    package mutating func add(_ payment: LedgerPayment) {
        guard let reference = payment.reference else { return }
        found[reference, default: []].append(payment)
    }

    /// True for batches of the simulation's terminals.
    package func concerns(_ batch: LedgerBatch) -> Bool {
        // A terminal can be named by its serial number, which has a letter before the digits.
        accounts.contains(batch.name.account) || accounts.contains(String(batch.name.account.dropFirst()))
    }

    private var accounts: Set<String> {
        Set(truth.payments.flatMap { [$0.terminal, $0.merchant] } + truth.batches.map(\.batch.account))
    }

    /// The ids of payments whose receipts are compared: those with troubles, and every twentieth.
    package func paymentsWithReceipt(limit: Int) -> [String] {
        let chosen = truth.payments.enumerated().filter { index, payment in
            payment.printedAt != nil && payment.evidence == .complete
                && (index % 20 == 0 || payment.troubles.contains { $0 != .idsByRole && $0 != .accountSettlement })
        }
        return chosen.prefix(limit).compactMap { found[$0.element.reference]?.first?.id }
    }

    /// Adds a payment's receipt; nil if there is none.
    package mutating func add(receipt: JSONValue?, of id: String) { receipts[id] = .some(receipt?["at"]?.string) }

    /// Adds a batch with the ids of the payments that have a line in it.
    package mutating func add(_ batch: LedgerBatch, members: some Sequence<String>) {
        batches[batch.name] = batch
        for id in members { memberships[id, default: []].insert(batch.name) }
    }

    package var merchants: [String] { Set(truth.payments.map(\.merchant)).sorted() }

    /// Adds a name under which the ledger counts a merchant's payments.
    package mutating func add(name: String, of merchant: String) { merchantsByName[name] = merchant }

    /// True if a payment of the ledger names no merchant.
    package var hasPaymentWithoutMerchant: Bool { found.values.contains { $0.contains { $0.merchant == nil } } }

    /// Adds a payment that the ledger lists under a merchant although it names none.
    package mutating func add(payment: String, of merchant: String) { merchantsByPayment[payment] = merchant }

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
        for payment in truth.payments {
            let before = score.mismatches.count
            judge(payment, &score)
            score.count(payment, isRight: score.mismatches.count == before)
        }
        score.sortGroups()
        for batch in Self.merged(truth.batches) { judge(batch, &score) }
        if let days { judge(days, &score) }
        return score
    }

    // MARK: Payments

    private func judge(_ truth: PaymentTruth, _ score: inout Score) {
        // A result that arrived under the next sale is the earlier sale's, in whatever payment it is kept.
        let payments = (found[truth.reference] ?? []).filter {
            $0.gatewayTransaction.map(recovered.contains) != true
                || $0.gatewayTransaction == truth.id("gatewayTransaction")
        }
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
        for (aspect, expected, found) in details(truth, payment) { mismatch(aspect, expected, found) }
        if payments.count > 1 { mismatch(.doubled, "one payment", "\(payments.count, "payment")") }
        score.inDoubt.count(
            isClaimed: payment.isUndecided,
            isActual: isMissing,
            isRight: isMissing && payment.isUndecided
        )
        let isStatusRight = ([truth.status] + truth.alternatives).contains { $0.rawValue == payment.status }
        let amounts = Self.differences(truth, payment)
        if payment.isUndecided {
            // A doubt is honest where the documents prove nothing.
            let isActual = truth.evidence == .complete
            score.statuses.count(isClaimed: false, isActual: isActual, isRight: false)
            score.amounts.count(isClaimed: false, isActual: isActual, isRight: false)
            if isActual { mismatch(.inDoubt, truth.status.rawValue, payment.status) }
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

    /// The differences beside status, amounts and batch.
    private func details(
        _ truth: PaymentTruth,
        _ payment: LedgerPayment
    ) -> [(Mismatch.Aspect, expected: String, found: String)] {
        var found: [(Mismatch.Aspect, expected: String, found: String)] = []
        if truth.evidence == .complete, let printed = truth.printedAt {
            let isZoned = printed.hasSuffix("Z")
            let shown = payment.localTime.map { String($0.description.prefix(19)) } ?? "none"
            if !isZoned, shown != printed { found.append((.time, printed, shown)) }
            if let receipt = receipts[payment.id], receipt.map(Self.seconds) != printed {
                found.append((.receipt, printed, receipt ?? "none"))
            }
        } else if let shown = payment.localTime, let begun = truth.begunAt,
            !Self.isNear(shown, begun, in: truth.zone)
        {
            found.append((.time, LocalTime(shown: begun.shown(in: truth.zone)).description, shown.description))
        }
        func compare(_ aspect: Mismatch.Aspect, _ expected: String?, _ answer: String?) {
            if expected != answer { found.append((aspect, expected ?? "none", answer ?? "none")) }
        }
        let merchant = payment.merchant.map { merchantsByName[$0] ?? $0 } ?? merchantsByPayment[payment.id]
        compare(.merchant, truth.merchant, merchant)
        compare(.test, "\(truth.isTest)", "\(payment.isTest)")
        if let signature = truth.signature { compare(.state, signature, payment.signature) }
        if let cancellation = truth.cancellation { compare(.state, cancellation, payment.cancellation) }
        for member in truth.shown.members {
            let path = member.key
            compare(.part, "\(path) \(member.value.text)", payment.member(at: path).map { "\(path) \($0.text)" })
        }
        let others = truth.flaggedWith.flatMap { self.found[$0] } ?? []
        let anomalies = ([payment] + others).flatMap(\.anomalies)
        if !truth.flags.isEmpty, !truth.flags.contains(where: anomalies.contains) {
            compare(.anomaly, truth.flags.joined(separator: " or "), anomalies.joined(separator: ", "))
        }
        return found
    }

    /// A reported time without its fraction of a second.
    private static func seconds(_ time: String) -> String { time.prefix(19) + (time.hasSuffix("Z") ? "Z" : "") }

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
        var expected = truth.batch
        if let batch = expected, initiated.contains(batch), !claimed.contains(batch) { expected?.closedAt = nil }
        guard claimed != Set([expected].compactMap(\.self)) else {
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
        let causes = truth.faults.map(\.rawValue) + truth.troubles.map(\.rawValue)
        parts.append(causes.isEmpty ? "no fault" : causes.joined(separator: ", "))
        if truth.evidence == .missing { parts.append("the evidence never came") }
        for payment in payments {
            let anomalies = payment.anomalies.isEmpty ? "" : ": " + payment.anomalies.joined(separator: ", ")
            parts.append("\(payment.id) is \(payment.status)\(anomalies)")
        }
        return parts.joined(separator: "; ")
    }

    // MARK: Batches

    /// The batches with those of one account as one, if documents report only that they were to be closed: until a
    /// closing is reported, the ledger keeps their money in one batch.
    private static func merged(_ batches: [BatchTruth]) -> [BatchTruth] {
        let initiated = Set(batches.filter(\.isOnlyInitiated).map { Account($0) })
        var merged: [Account: BatchTruth] = [:]
        for var batch in batches where initiated.contains(Account(batch)) {
            batch.batch.closedAt = nil
            guard let known = merged.updateValue(batch, forKey: Account(batch)) else { continue }
            batch.isClosed = known.isClosed || batch.isClosed
            batch.isOnlyInitiated = true
            batch.net += known.net
            batch.known.add(known.known)
            batch.unknownNet += known.unknownNet
            batch.members += known.members
            merged[Account(batch)] = batch
        }
        return batches.filter { !initiated.contains(Account($0)) }
            + merged.values.sorted { $0.batch.text < $1.batch.text }
    }

    private struct Account: Hashable {
        var vendor: Vendor
        var account: String
        var currency: String

        init(_ batch: BatchTruth) {
            vendor = batch.batch.vendor
            account = batch.batch.account
            currency = batch.currency
        }
    }

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
        let isClosed =
            batch.map { $0.isClosed || truth.isOnlyInitiated && ($0.isRequested || $0.status == "closing") } ?? false
        if isClosed != truth.isClosed {
            mismatch(truth.isClosed ? "closed" : "not closed", batch?.status ?? "no such batch")
        }
        let net = batch?.net[truth.currency] ?? 0
        let known = truth.net - truth.unknownNet
        let sums = batch?.sums[truth.currency] ?? MoneySums()
        let inferred = self.truth.payments.filter { payment in
            guard payment.evidence == .indirect, var batch = payment.batch else { return false }
            if truth.isOnlyInitiated { batch.closedAt = nil }
            return batch == truth.batch
        }.map(MoneySums.init)
        if sums.net == net, sums.isSum(of: truth.known, and: inferred) { return }
        if net != known { mismatch("net \(known) \(truth.currency)", "net \(net) \(truth.currency)") }
        if sums != truth.known { mismatch(truth.known.text, sums.text) }
    }
}

extension BatchName {
    /// For example `dejavoo/794524937054/243`.
    package var text: String { [vendor.rawValue, account, number ?? "open"].joined(separator: "/") }
}
