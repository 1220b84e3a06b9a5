import Canonical
import Payments

// The totals of a merchant's business day.
extension Scorer {
    /// The totals that the ledger can know for each merchant's day, in the merchant's zone.
    var trueDays: [Day: MoneySums] {
        var sums: [Day: MoneySums] = [:]
        for payment in truth.payments where payment.evidence == .complete && !payment.isTest {
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

    func judge(_ found: [Day: LedgerDay], _ score: inout Score) {
        let expected = trueDays.filter { $0.value != MoneySums() }
        score.days = expected.count
        let names = Set(expected.keys).union(found.keys)
        for name in names.sorted(by: { ($0.merchant, $0.day, $0.currency) < ($1.merchant, $1.day, $1.currency) }) {
            let truth = expected[name] ?? MoneySums()
            let answer = found[name]?.sums ?? MoneySums()
            let net = found[name]?.net ?? 0
            if answer.net == net, answer.isSum(of: truth, and: inferred(on: name)) { continue }
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

    /// The money that day of payments whose outcome can only be inferred.
    private func inferred(on day: Day) -> [MoneySums] {
        truth.payments.filter {
            $0.evidence == .indirect && $0.merchant == day.merchant && $0.businessDay == day.day
                && $0.currency == day.currency
        }
        .map(MoneySums.init)
    }
}

extension MoneySums {
    init(_ payment: PaymentTruth) {
        self.init()
        take(payment)
    }

    /// Whether these are certain sums and those of some of the uncertain ones; of at most ten.
    func isSum(of certain: MoneySums, and uncertain: [MoneySums]) -> Bool {
        let uncertain = uncertain.prefix(10)
        return (0..<(1 << uncertain.count)).contains { choice in
            var sums = certain
            for (index, one) in uncertain.enumerated() where choice >> index & 1 == 1 {
                sums.captured += one.captured
                sums.tip += one.tip
                sums.refunded += one.refunded
                sums.credited += one.credited
            }
            return sums == self
        }
    }
}
