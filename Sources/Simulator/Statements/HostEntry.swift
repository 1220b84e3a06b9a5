import Canonical
import Payments

/// Money of one payment, as its host knows it.
struct HostEntry {
    enum Kind {
        case sale, refund
        /// Money without a payment before.
        case credit
    }

    var payment: PaymentTruth
    var kind: Kind
    /// Minor units, above zero to the merchant.
    var amount: Int64
    /// By the host's clock.
    var at: Timestamp
    /// The day of the same money in the ledger, by the device's clock.
    var ledgerDay: CivilDate
    /// Whether it is all of its payment.
    var isAll: Bool

    /// What moved: the sales first, then what was given back.
    static func entries(of payment: PaymentTruth) -> [HostEntry] {
        // The answer came, or did not, within half a minute.
        let at = payment.startedAt.adding(microseconds: 30_000_000)
        let moneyAt = payment.moneyAt ?? payment.startedAt
        func entry(_ kind: Kind, _ amount: Int64, _ at: Timestamp, _ ledgerAt: Timestamp, isAll: Bool) -> HostEntry {
            HostEntry(payment: payment, kind: kind, amount: amount, at: at, ledgerDay: ledgerAt.civilDay, isAll: isAll)
        }
        var entries: [HostEntry] = []
        let isAll = payment.parts == nil && payment.refunded == 0
        if payment.captured > 0 {
            for part in payment.parts ?? [payment.captured] {
                entries.append(entry(.sale, part, at, moneyAt, isAll: isAll))
            }
        }
        if payment.credited > 0 { entries.append(entry(.credit, -payment.credited, at, moneyAt, isAll: isAll)) }
        if payment.refunded > 0 {
            // Both times are the device's: what its clock is wrong by falls out.
            let refundedAt = payment.refundedAt ?? moneyAt
            let later = at.adding(microseconds: refundedAt.microseconds(since: moneyAt))
            entries.append(entry(.refund, -payment.refunded, later, refundedAt, isAll: false))
        }
        return entries
    }

    /// By the host's clock.
    var day: CivilDate { at.civilDay }

    /// Whether the device's clock was near enough to the host's for every rule.
    var isOnTime: Bool { abs(day.daysSince1970 - ledgerDay.daysSince1970) <= 1 }
}

extension Timestamp {
    /// In UTC.
    var civilDay: CivilDate { CivilDate(daysSince1970: midnight.microsecondsSince1970 / 86_400_000_000) }

    /// To the second, as files tell times.
    var wholeSecond: Timestamp {
        let rest = (microsecondsSince1970 % 1_000_000 + 1_000_000) % 1_000_000
        return adding(microseconds: -rest)
    }
}

extension CivilDate {
    func adding(days: Int64) -> CivilDate { CivilDate(daysSince1970: daysSince1970 + days) }

    /// So many minutes after its midnight in UTC.
    func time(minutes: Int64) -> Timestamp {
        Timestamp(microsecondsSince1970: (daysSince1970 * 1_440 + minutes) * 60_000_000)
    }
}

extension PaymentTruth {
    /// Known to host and ledger.
    func id(_ name: String) -> String? { ids[name]?.string }
}
