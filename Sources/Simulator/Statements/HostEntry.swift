import Canonical
import Payments

/// One movement of a payment's money, as recorded by its host.
struct HostEntry {
    enum Kind {
        case sale, refund
        /// A refund without a previous payment.
        case credit
    }

    var payment: PaymentTruth
    var kind: Kind
    /// Minor units, positive in the merchant's favour.
    var amount: Int64
    /// By the host's clock.
    var at: Timestamp
    /// The day of the same movement in the ledger, by the device's clock.
    var ledgerDay: CivilDate
    /// Whether it is the payment's only movement.
    var isAll: Bool
    /// The index of the payment's part, if it has several.
    var part: Int?

    /// The movements: sales first, then refunds.
    static func entries(of payment: PaymentTruth) -> [HostEntry] {
        // The answer arrives or is lost within half a minute.
        let at = payment.startedAt.adding(microseconds: 30_000_000)
        let moneyAt = payment.moneyAt ?? payment.startedAt
        func entry(_ kind: Kind, _ amount: Int64, _ at: Timestamp, _ ledgerAt: Timestamp, isAll: Bool) -> HostEntry {
            HostEntry(payment: payment, kind: kind, amount: amount, at: at, ledgerDay: ledgerAt.civilDay, isAll: isAll)
        }
        var entries: [HostEntry] = []
        let isAll = payment.parts == nil && payment.refunded == 0
        if payment.captured > 0 {
            for (index, part) in (payment.parts ?? [payment.captured]).enumerated() {
                entries.append(entry(.sale, part, at, moneyAt, isAll: isAll))
                if payment.parts != nil { entries[index].part = index }
            }
        }
        if payment.credited > 0 { entries.append(entry(.credit, -payment.credited, at, moneyAt, isAll: isAll)) }
        if payment.refunded > 0 {
            // Both times are the device's, so its clock error cancels out.
            let refundedAt = payment.refundedAt ?? moneyAt
            let later = at.adding(microseconds: refundedAt.microseconds(since: moneyAt))
            entries.append(entry(.refund, -payment.refunded, later, refundedAt, isAll: false))
        }
        return entries
    }

    /// By the host's clock.
    var day: CivilDate { at.civilDay }

    /// The account that has its money in the ledger.
    var holder: AccountPlace {
        payment.holder(of: part.flatMap { payment.tenders?[$0] } ?? payment.tender)
    }

    /// Whether the difference between the device's clock and the host's is small enough for every rule.
    var isOnTime: Bool { abs(day.daysSince1970 - ledgerDay.daysSince1970) <= 1 }
}

extension Timestamp {
    /// In UTC.
    var civilDay: CivilDate { CivilDate(daysSince1970: midnight.microsecondsSince1970 / 86_400_000_000) }

    /// Rounded down to the second, as in files.
    var wholeSecond: Timestamp {
        let rest = (microsecondsSince1970 % 1_000_000 + 1_000_000) % 1_000_000
        return adding(microseconds: -rest)
    }
}

extension CivilDate {
    func adding(days: Int64) -> CivilDate { CivilDate(daysSince1970: daysSince1970 + days) }

    /// This number of minutes after midnight in UTC.
    func time(minutes: Int64) -> Timestamp {
        Timestamp(microsecondsSince1970: (daysSince1970 * 1_440 + minutes) * 60_000_000)
    }
}

extension PaymentTruth {
    /// An id that host and ledger both know.
    func id(_ name: String) -> String? { ids[name]?.string }
}
