import Canonical
import Payments

/// Square's payout entries as `ListPayoutEntries` returns them, page by page, together with the payouts if the file
/// contains them. Amounts are whole minor units (developer.squareup.com, PayoutEntry).
struct SquarePayout: JSONRows {
    private struct Sums: Sendable {
        var net: Int128 = 0
        var count = 0
    }

    private struct Payout: Sendable {
        var id: String
        var amount: Int64
        var currency: Currency
        var line: Int
    }

    /// For amounts without a currency.
    private let defaultCurrency: Currency?
    private var sums = ScopedSums<String, Sums>()
    private var payouts: [Payout] = []
    private var feet = RowChecks()
    private var unknown = UnknownCodes()
    private var isFound = false
    private var lastLine = 1
    /// The line of a page that announced another page.
    private var openPage: Int?

    init(_ options: StatementOptions = StatementOptions()) {
        defaultCurrency = options.currency
    }

    mutating func take(_ record: JSONRecord, into sink: StatementSink) throws {
        lastLine = record.line
        if let entries = try record.objects("payout_entries") {
            isFound = true
            openPage = record["cursor"].isEmpty ? nil : record.line
            for entry in entries { try take(entry: entry, sink) }
        } else if let listed = try record.objects("payouts") {
            isFound = true
            for payout in listed { try take(payout: payout, sink) }
        } else if let payout = record.object("payout") {
            try take(payout: payout, sink)
        } else if record.has("payout_id") {
            try take(entry: record, sink)
        } else if record.has("amount_money") {
            try take(payout: record, sink)
        } else {
            try sink(.note(StatementNote(.unknownRecord, line: record.line, "An object that is not a payout or entry")))
        }
    }

    private func money(_ record: JSONRecord, _ name: String) throws -> Money? {
        guard let money = record.object(name) else { return nil }
        let field = money["currency", "currency_code"]
        let currency = if field.isEmpty, let defaultCurrency { defaultCurrency } else { try field.currency() }
        return Money(try money["amount"].amount(currency, .minor), currency)
    }

    private mutating func take(payout record: JSONRecord, _ sink: StatementSink) throws {
        isFound = true
        guard let id = record["id"].id, let amount = try money(record, "amount_money") else {
            throw record["id"].problem(.missingValue, "A payout has an id and an amount_money.")
        }
        guard payouts.count < 1 << 18 else {
            throw StatementProblem(.tooLarge, line: record.line, "The file has more payouts than are read.")
        }
        let payout = Payout(id: id, amount: amount.value, currency: amount.currency, line: record.line)
        payouts.append(payout)
        var line = StatementLine(
            line: record.line,
            side: .processor,
            type: .payout,
            rawType: "PAYOUT",
            currency: amount.currency
        )
        let status = record["status"]
        let known = PayoutStatus(rawValue: status.id ?? "")
        line.gross = -amount.value
        line.net = known == .failed ? 0 : -amount.value
        line.rawStatus = status.text
        if known == nil, !status.isEmpty {
            try unknown.note(line.rawStatus ?? "", line: line.line, "Payout status", into: sink)
        }
        line.revision = try revision(record, known)
        line.references[.payout] = id
        line.references[.location] = record["location_id"].id
        try time(record["created_at"], &line)
        line.valueDay = try record["arrival_date"].optionalDayOrTime(.yearMonthDay)
        try sink(.line(line))
    }

    /// The status of a payout (developer.squareup.com, PayoutStatus).
    private enum PayoutStatus: String, CaseIterable {
        /// Being transferred to the bank.
        case sent = "SENT"
        case paid = "PAID"
        /// The bank has returned it: the money is on the balance again.
        case failed = "FAILED"
    }

    /// The revision of a payout, which is reported again when it changes: `version` counts its changes
    /// (developer.squareup.com, Payout). Without a version, the status gives the order: sent, then paid or failed.
    private func revision(_ record: JSONRecord, _ status: PayoutStatus?) throws -> Int64 {
        let field = record["version"]
        let order = Int64(status.flatMap { PayoutStatus.allCases.firstIndex(of: $0) } ?? -1) + 1
        guard !field.isEmpty else { return order }
        guard let version = field.text.flatMap({ Int64($0) }), (0...Int64(Int32.max)).contains(version) else {
            throw field.problem(.badAmount, "A version is a whole number.")
        }
        return version * 4 + order
    }

    private mutating func take(entry record: JSONRecord, _ sink: StatementSink) throws {
        isFound = true
        guard let gross = try money(record, "gross_amount_money") else {
            throw record["gross_amount_money"].problem(.missingValue, "An entry has a gross amount.")
        }
        let fee = try money(record, "fee_amount_money") ?? Money(0, gross.currency)
        let left = Int64(exactly: Int128(gross.value) - Int128(fee.value)).map { Money($0, gross.currency) }
        guard let net = try money(record, "net_amount_money") ?? left else {
            throw record["net_amount_money"].problem(.badAmount, AmountFault.tooLarge.detail)
        }
        guard fee.currency == gross.currency, net.currency == gross.currency else {
            throw record["net_amount_money"].problem(.unknownCurrency, "An entry is in one currency.")
        }
        let name = record["type"]
        let type = Self.type(name.id ?? "", net: net.value)
        var line = StatementLine(
            line: record.line,
            side: .processor,
            type: type ?? .other,
            rawType: name.text,
            currency: gross.currency
        )
        if type == nil { try unknown.note(line.rawType ?? "", line: line.line, "Entry type", into: sink) }
        (line.gross, line.net) = (gross.value, net.value)
        // The fee is positive and subtracted, or already negative.
        let isSigned = Int128(gross.value) + Int128(fee.value) == Int128(net.value)
        if fee.value != 0 { line.fees = [LineFee(.processing, isSigned ? fee.value : -fee.value)] }
        let sum = Int128(gross.value) + (isSigned ? Int128(fee.value) : -Int128(fee.value))
        try feet.check("net", stated: net.value, sum: sum, of: line, into: sink)
        line.references[.payout] = record["payout_id"].id
        line.references[.other] = record["id"].id
        try time(record["effective_at"], &line)
        details(record, &line)
        if let payout = line.references[.payout] {
            try sums.update(payout, line: line.line, initial: Sums()) { sums in
                sums.net += Int128(net.value)
                sums.count += 1
            }
        }
        try sink(.line(line))
    }

    private func time(_ field: Field, _ line: inout StatementLine) throws {
        guard !field.isEmpty else { return }
        guard let (wall, rest) = DateText.dayAndTime(field.bytes), let ahead = DateText.offset(rest) else {
            throw field.problem(.badDate, "A time by RFC 3339 is expected.")
        }
        line.occurredAt = wall.adding(microseconds: -ahead * 1_000_000)
        line.localTime = wall
        line.zone = String(decoding: rest, as: UTF8.self)
        line.day = wall.day
    }

    /// Reads the ids of a payment, a refund or a dispute from the member that the type names.
    private func details(_ record: JSONRecord, _ line: inout StatementLine) {
        guard let raw = line.rawType, let details = record.object("type_\(raw.lowercased())_details") else { return }
        let payment = details["payment_id"].id
        let change = details["refund_id", "dispute_id", "payout_id"].id
        line.references[.processor] = change == nil || line.type == .capture ? payment : change
        line.references[.related] = change == nil ? nil : payment
    }

    private static func type(_ name: String, net: Int64) -> LineType? {
        switch name {
        case "CHARGE": .capture
        case "REFUND", "FREE_PROCESSING_REFUND": .refund
        case "REFUND_REVERSAL", "REVERSED_REFUND": .refundReversal
        case "DISPUTE", "OPEN_DISPUTE": net > 0 ? .chargebackReversal : .chargeback
        case "FEE", "DEPOSIT_FEE", "TAX_ON_FEE", "THIRD_PARTY_FEE", "APP_FEE_REFUND", "PROCESSING_FEE": .fee
        case "ADJUSTMENT", "DEPOSIT_FEE_REVERSED", "THIRD_PARTY_FEE_REFUND", "APP_FEE_REVENUE", "FREE_PROCESSING",
            "OTHER_ADJUSTMENT", "OTHER", "ESCHEATMENT", "SQUARE_CAPITAL_PAYMENT", "SQUARE_CAPITAL_REVERSED_PAYMENT",
            "SUBSCRIPTION_FEE", "SUBSCRIPTION_FEE_REFUND", "SQUARE_PAYROLL_TRANSFER", "UNDO_PROCESSING_FEE_REFUND":
            .adjustment
        case "HOLD_ADJUSTMENT", "RESERVE_HOLD", "RESERVE_RELEASE", "RELEASE_ADJUSTMENT":
            net < 0 ? .reserve : .reserveRelease
        case "RETURNED_PAYOUT", "RETURNED_SQUARE_275_FEE": .payoutReturn
        case "AUTOMATIC_SAVINGS", "AUTOMATIC_SAVINGS_REVERSED", "MONEY_TRANSFER", "MONEY_TRANSFER_REVERSAL",
            "INITIAL_BALANCE_CHANGE", "PAYOUT":
            .transfer
        default: nil
        }
    }

    mutating func finish(into sink: StatementSink) throws {
        guard isFound else {
            throw StatementProblem(.unknownFormat, line: 1, "The file holds no payout entries.")
        }
        try feet.report("rows-that-foot", line: lastLine, into: sink)
        if let openPage {
            let detail = "Another page follows this one; payouts may not be whole."
            try sink(.note(StatementNote(.unchecked, line: openPage, detail)))
        }
        for payout in payouts {
            guard let found = sums[payout.id] else { continue }
            try sink(
                .control(
                    StatementControl(
                        .total,
                        "payout-amount",
                        scope: "payout \(payout.id)",
                        stated: payout.amount,
                        sum: found.net,
                        currency: payout.currency,
                        line: payout.line
                    )
                )
            )
        }
    }
}
