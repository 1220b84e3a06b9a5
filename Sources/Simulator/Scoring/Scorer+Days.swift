import Canonical
import Payments

// The totals of a merchant's business day.
extension Scorer {
    /// The totals that the ledger can know for each merchant's day, in the merchant's zone.
    var trueDays: [Day: MoneySums] {
        var sums: [Day: MoneySums] = [:]
        for payment in truth.payments where payment.evidence == .complete && !payment.isTest {
            func of(_ day: String) -> Day { Day(merchant: payment.merchant, day: day, currency: payment.currency) }
            if let day = payment.businessDay {
                sums[of(day), default: MoneySums()].captured += payment.captured
                sums[of(day), default: MoneySums()].tip += payment.tip
                sums[of(day), default: MoneySums()].credited += payment.credited
            }
            if let at = payment.refundedAt {
                let day = String(at.shown(in: payment.zone).rfc3339.prefix(10))
                sums[of(day), default: MoneySums()].refunded += payment.refunded
            }
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

    /// Whether these are certain sums and those of some of the uncertain ones. False if too many sums are possible.
    func isSum(of certain: MoneySums, and uncertain: [MoneySums]) -> Bool {
        var reached: Set<MoneySums> = [certain]
        for one in uncertain where one != MoneySums() {
            for var sums in reached {
                sums.captured += one.captured
                sums.tip += one.tip
                sums.refunded += one.refunded
                sums.credited += one.credited
                // None is negative, so what is above is never right.
                if sums.captured <= captured, sums.credited <= credited { reached.insert(sums) }
            }
            guard reached.count < 100_000 else { return false }
        }
        return reached.contains(self)
    }
}
