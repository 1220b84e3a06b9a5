import Canonical
import Payments

/// What one account gets of a payment's money.
package struct EntryTruth: Sendable, Hashable, Codable {
    /// The line of money: `capture`, `credit`, `refund` or `load`; of a second tender `capture 2`.
    package var line: String
    /// The business day, such as `2025-03-03`.
    package var day: String
    package var account: AccountName
    /// Minor units; a debit is positive.
    package var amount: Int64
}

/// A tax inside a sale, under the label that the terminal prints.
package struct TaxTruth: Sendable, Hashable, Codable {
    package var label: String
    /// Minor units.
    package var amount: Int64
}

// Where a payment's money is in the journal: `docs/journal.md`, Payments and Days. Written from that page alone: it
// shares nothing with the ledger's own books.
extension PaymentTruth {
    /// The account that has the money of a tender.
    func holder(of tender: String) -> AccountPlace {
        switch tender {
        case "gift", "loyalty": AccountPlace(.giftLiability, tender)
        case "cash", "check": AccountPlace(.undepositedCash, tender)
        default: AccountPlace(.processorReceivable, vendor.rawValue)
        }
    }

    /// What each line of money has moved by now. The amounts of a line add up to zero.
    var book: [String: [AccountName: Int64]] {
        guard !isTest else { return [:] }
        var book: [String: [AccountName: Int64]] = [:]
        if captured > 0 {
            for (index, part) in (parts ?? [captured]).enumerated() {
                let line = index == 0 ? "capture" : "capture \(index + 1)"
                book[line] = taken(part, by: tenders?[index] ?? tender)
            }
        }
        if credited > 0 { book["credit"] = returned(credited) }
        if refunded > 0 { book["refund"] = returned(refunded) }
        if loaded > 0 {
            let sales = AccountPlace(.sales, "gift").name(in: currency)
            let liability = AccountPlace(.giftLiability, "gift").name(in: currency)
            book["load"] = [sales: loaded, liability: -loaded]
        }
        return book
    }

    private func taken(_ amount: Int64, by tender: String) -> [AccountName: Int64] {
        var legs = [holder(of: tender).name(in: currency): amount]
        var rest = amount
        let rewarded = [(AccountPlace(.tipsPayable, tipRecipient ?? ""), tip)]
        let taxed = taxes.map { (AccountPlace(.taxPayable, $0.label), $0.amount) }
        let others = [(AccountPlace(.surcharge), surcharge), (AccountPlace(.cashBack), cashBack ?? 0)]
        for (place, share) in rewarded + taxed + others {
            let moved = min(share, rest)
            legs.add(-moved, to: place.name(in: currency))
            rest -= moved
        }
        legs.add(-rest, to: (isCash ? AccountPlace(.cashMachine) : AccountPlace(.sales, tender)).name(in: currency))
        return legs
    }

    private func returned(_ amount: Int64) -> [AccountName: Int64] {
        let place = isCash ? AccountPlace(.cashMachine) : AccountPlace(.refunds, tender)
        return [place.name(in: currency): amount, holder(of: tender).name(in: currency): -amount]
    }

    /// Adds the entries of what has changed since the last ones.
    ///
    /// - Parameter time: The time of the report, by the device's clock.
    mutating func post(at time: Timestamp) {
        guard !entries.isEmpty || captured > 0 || credited > 0 || refunded > 0 || loaded > 0 else { return }
        let current = book
        for line in Set(current.keys).union(entries.map(\.line)).sorted() {
            var posted: [AccountName: Int64] = [:]
            for entry in entries where entry.line == line { posted.add(entry.amount, to: entry.account) }
            let isFirst = !entries.contains { $0.line == line }
            let entered = isFirst ? firstDay(of: line, at: time) : day(of: time)
            let now = current[line] ?? [:]
            for account in Set(now.keys).union(posted.keys).sorted() {
                let change = (now[account] ?? 0) - (posted[account] ?? 0)
                guard change != 0 else { continue }
                entries.append(EntryTruth(line: line, day: entered, account: account, amount: change))
            }
        }
    }

    /// The first entry of a line has the day that the terminal prints, if it prints one.
    private func firstDay(of line: String, at time: Timestamp) -> String {
        guard line.hasPrefix("capture") || line == "credit", operation == .sale || operation == .credit,
            let printedAt, !printedAt.hasSuffix("Z")
        else { return day(of: time) }
        return String(printedAt.prefix(10))
    }

    private func day(of time: Timestamp) -> String { String(time.shown(in: zone).rfc3339.prefix(10)) }

    /// No document that was delivered names the tender.
    mutating func forgetTender() {
        for index in entries.indices where entries[index].account.part == tender {
            let account = entries[index].account.name
            guard account == PlayedAccount.sales.rawValue || account == PlayedAccount.refunds.rawValue else { continue }
            entries[index].account.part = ""
        }
        tender = ""
    }
}
