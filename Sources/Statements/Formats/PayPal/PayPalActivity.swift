import Canonical
import Payments

/// The columns read from PayPal's activity download.
enum PayPalColumn: Int, CSVColumn {
    case currency, gross, fee, net, date, transaction
    case time, zone, description, status, balance, reference, invoice, impact, name, from, item

    var title: String {
        switch self {
        case .currency: "Currency"
        case .gross: "Gross"
        case .fee: "Fee"
        case .net: "Net"
        case .date: "Date"
        case .transaction: "Transaction ID"
        case .time: "Time"
        case .zone: "Time Zone"
        case .description: "Description"
        case .status: "Status"
        case .balance: "Balance"
        case .reference: "Reference Txn ID"
        case .invoice: "Invoice ID"
        case .impact: "Balance Impact"
        case .name: "Name"
        case .from: "From Email Address"
        case .item: "Custom Number"
        }
    }

    /// Downloads have their column names in the account's language: English, German and Spanish are known.
    var aliases: [String] {
        switch self {
        case .currency: ["Währung", "Divisa"]
        case .gross: ["Brutto", "Bruto"]
        case .fee: ["Fees", "Gebühr", "Entgelt", "Comisión"]
        case .net: ["Netto", "Neto"]
        case .date: ["Datum", "Fecha"]
        case .transaction: ["Transaktionscode", "Id. de transacción"]
        case .time: ["Uhrzeit", "Hora"]
        case .zone: ["TimeZone", "Zeitzone", "Zona horaria"]
        case .description: ["Type", "Beschreibung", "Typ", "Descripción", "Tipo"]
        case .status: ["Estado"]
        case .balance: ["Guthaben", "Saldo"]
        case .reference: ["Zugehöriger Transaktionscode", "Id. de referencia de trans."]
        case .invoice: ["Invoice Number", "Rechnungsnummer", "Id. de factura"]
        case .impact: ["Auswirkung auf Guthaben", "Repercusiones en el saldo"]
        case .name: ["Nombre"]
        case .from: ["Absender E-Mail-Adresse", "Correo electrónico del remitente"]
        case .item: []
        }
    }
}

/// PayPal's activity download: a row for each movement, a running balance for each currency, and two rows that refer to
/// the same transaction for each exchange.
struct PayPalActivity: CSVRows {
    typealias Column = PayPalColumn

    let required: [PayPalColumn] = [.currency, .gross, .fee, .net, .date, .transaction]

    /// The two halves of an exchange.
    private struct Exchange: Sendable {
        var sold: Int64 = 0
        var bought: Int64 = 0
        var line = 0
    }

    /// The largest number of exchanges checked individually.
    private static let longestExchanges = 1 << 18

    private var order: DateOrder?
    /// The first row whose date can be read in two ways.
    private var ambiguous: Int?
    private var currencies = CurrencyMemory()
    private var zones = ZoneNames()
    private var unknown = UnknownCodes()
    private var described: [(bytes: [UInt8], type: LineType?)] = []
    private var feet = RowChecks()
    private var balances = ScopedSums<Currency, RunningBalance>()
    private var exchanges = ScopedSums<String, Exchange>()

    init(_ options: StatementOptions) {
        order = options.dateOrder
    }

    /// Only English headers leave open how the account's country writes dates.
    mutating func begin(_ columns: CSVColumns<PayPalColumn>, line: Int, into sink: StatementSink) throws {
        let title = columns.titles[PayPalColumn.date.rawValue].lowercased()
        if order == nil, ["datum", "fecha"].contains(title) { order = .dayMonthYear }
    }

    mutating func row(_ cells: CSVCells<PayPalColumn>, into sink: StatementSink) throws {
        let currency = try currencies.currency(cells[.currency])
        let gross = try amount(cells[.gross], currency)
        let fee = try amount(cells[.fee], currency)
        let net = try amount(cells[.net], currency)
        let description = cells[.description]
        let type = type(description.bytes)
        var line = StatementLine(
            line: cells.line,
            side: .processor,
            type: type ?? .other,
            rawType: description.text,
            currency: currency
        )
        if type == nil { try unknown.note(line.rawType ?? "", line: line.line, "Description", into: sink) }
        (line.gross, line.net) = (gross, net)
        if fee != 0 { line.fees = [LineFee(.processing, fee)] }
        line.rawStatus = cells[.status].text
        try times(cells, &line, sink)
        references(cells, &line)
        try feet.check("net", stated: net, sum: Int128(gross) + Int128(fee), of: line, into: sink)
        // A payment that the account holder made.
        if line.type == .sale, gross < 0 { line.type = .withdrawal }
        if !isMoved(cells, line) {
            line.type = .balance
        } else if !cells[.balance].isEmpty {
            let balance = try amount(cells[.balance], currency)
            try balances.update(currency, line: line.line, initial: RunningBalance()) {
                $0.add(net, balance: balance, line: line.line)
            }
        }
        if line.type == .conversion, let reference = line.references[.related] {
            guard exchanges.entries.count < Self.longestExchanges else {
                throw StatementProblem(.tooLarge, line: line.line, "The file has more exchanges than are read.")
            }
            // The halves refer to the payment that used the exchange, or to each other.
            let own = line.references[.processor].flatMap { exchanges[$0] == nil ? nil : $0 }
            try exchanges.update(own ?? reference, line: line.line, initial: Exchange()) { exchange in
                if net < 0 { exchange.sold += 1 } else { exchange.bought += 1 }
                exchange.line = cells.line
            }
        }
        try sink(.line(line))
    }

    /// Whether the row moves a balance. Pending and informational rows do not; a withdrawal does before it reaches the
    /// bank.
    private func isMoved(_ cells: CSVCells<PayPalColumn>, _ line: StatementLine) -> Bool {
        let impact = cells[.impact]
        if impact.is("Memo") { return false }
        let status = line.rawStatus?.lowercased() ?? ""
        if Self.pending.contains(status) { return !impact.isEmpty || line.type == .payout }
        return !Self.undone.contains(status)
    }

    private static let pending: Set<String> = ["pending", "ausstehend", "pendiente"]

    private static let undone: Set<String> = [
        "denied", "canceled", "cancelled", "expired", "failed", "unclaimed", "abgelehnt", "storniert", "denegado",
        "cancelado",
    ]

    /// Reads `-1,058.09`, or `-1.058,09` if the account's country writes amounts so: the last sign followed by as many
    /// digits as the currency has decimals is the decimal sign.
    private func amount(_ field: Field, _ currency: Currency) throws(StatementProblem) -> Int64 {
        let bytes = field.bytes
        let decimals = currency.exponent ?? 0
        // Blanks between groups occur in French exports.
        guard decimals > 0, bytes.count > decimals else { return try field.amount(currency, .grouped) }
        let isComma = bytes[bytes.endIndex - decimals - 1] == UInt8(ascii: ",")
        let style = isComma ? AmountStyle(decimal: UInt8(ascii: ","), grouping: UInt8(ascii: ".")) : AmountStyle.grouped
        return try field.amount(currency, style)
    }

    // MARK: Days

    private mutating func times(
        _ cells: CSVCells<PayPalColumn>,
        _ line: inout StatementLine,
        _ sink: StatementSink
    ) throws {
        let date = cells[.date]
        try decideOrder(date)
        let day = try date.day(order ?? .monthDayYear)
        line.day = day
        line.bookedDay = day
        let time = cells[.time]
        guard !time.isEmpty else { return }
        guard let microseconds = DateText.time(time.bytes) else {
            throw time.problem(.badDate, "A time like 21:15:11 is expected.")
        }
        let wall = DateText.wall(day, microseconds)
        line.localTime = wall
        let zone = cells[.zone]
        guard !zone.isEmpty else { return }
        line.zone = zones.name(zone.bytes)
        line.occurredAt = zones.instant(wall, in: zone.bytes)
        if line.occurredAt == nil { try unknown.note(line.zone ?? "", line: line.line, "Time zone", into: sink) }
    }

    /// `9/27/2018` shows that months come first, `27/9/2018` that days do. Until a row shows it, months are assumed to
    /// come first. If rows were read so and a later row shows the other order, that is a problem.
    private mutating func decideOrder(_ date: Field) throws {
        guard order == nil, let (first, second, _, digits, _) = DateText.parts(date.bytes), digits < 3 else { return }
        if date.bytes.contains(UInt8(ascii: ".")) {
            order = .dayMonthYear
        } else if first > 12 {
            guard ambiguous == nil else {
                throw date.problem(
                    .ambiguousDate,
                    "Days precede months here, but earlier rows were read with months first: set the date order."
                )
            }
            order = .dayMonthYear
        } else if second > 12 {
            order = .monthDayYear
        } else if first != second, ambiguous == nil {
            ambiguous = date.line
        }
    }

    // MARK: Types and references

    private static let types: [(words: String, type: LineType)] = [
        ("chargeback fee", .fee), ("chargeback reversal", .chargebackReversal),
        (
            "cancellation of chargeback",
            .chargebackReversal
        ), ("chargeback", .chargeback), ("currency conversion", .conversion),
        ("fee reversal", .adjustment), ("refund", .refund), ("release", .reserveRelease),
        ("cancellation of hold", .reserveRelease), ("reserve", .reserve), ("hold", .reserve),
        ("void", .void), ("authorization", .authorization), ("authorisation", .authorization),
        ("withdrawal", .payout), ("deposit", .deposit), ("transfer", .transfer), ("fee", .fee),
        ("reversal", .adjustment), ("adjustment", .adjustment), ("correction", .adjustment), ("payment", .sale),
        ("checkout", .sale), ("sale", .sale),
        ("währungsumrechnung", .conversion), ("rückzahlung", .refund), ("bankgutschrift", .deposit),
        ("abbuchung", .payout), ("einbehalt", .reserve), ("freigabe", .reserveRelease), ("gebühr", .fee),
        ("zahlung", .sale), ("conversión de divisa", .conversion), ("reembolso", .refund), ("retirada", .payout),
        ("retención", .reserve), ("comisión", .fee), ("pago", .sale),
    ]

    /// The type of a description. A file has few descriptions, which are cached.
    private mutating func type(_ description: ArraySlice<UInt8>) -> LineType? {
        if let known = described.first(where: { $0.bytes.elementsEqual(description) }) { return known.type }
        let text = String(decoding: description.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
        let type = Self.types.first { text.contains($0.words) }?.type
        if described.count >= 64 { described.removeFirst(32) }
        described.append((Array(description), type))
        return type
    }

    private func references(_ cells: CSVCells<PayPalColumn>, _ line: inout StatementLine) {
        line.references[.processor] = cells[.transaction].id
        line.references[.related] = cells[.reference].id
        line.references[.invoice] = cells[.invoice].text
        line.references[.counterparty] = cells[.name].text
        line.references[.other] = cells[.item].text
        if line.type == .payout { line.references[.payout] = line.references[.processor] }
    }

    mutating func finish(line: Int, into sink: StatementSink) throws {
        if let ambiguous, order == nil {
            let detail = "No date shows whether months or days come first; months were assumed."
            try sink(.note(StatementNote(.assumedDateOrder, line: ambiguous, detail)))
        }
        try feet.report("rows-that-foot", line: line, into: sink)
        for (currency, balance) in balances.entries {
            try balance.report("rows in \(currency.alpha)", currency, line: line, into: sink)
        }
        for (reference, exchange) in exchanges.entries {
            try sink(
                .control(
                    StatementControl(
                        .count,
                        "conversion-halves",
                        scope: "transaction \(reference)",
                        stated: exchange.sold,
                        computed: exchange.bought,
                        line: exchange.line
                    )
                )
            )
        }
    }
}
