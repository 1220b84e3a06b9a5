import Canonical
import Payments

/// Daybook's own CSV and, with a mapping, any other.
struct DaybookCSV: CSVRows {
    typealias Column = DaybookColumn

    /// The sums of the rows of one currency.
    private struct Sums: Sendable {
        var gross: Int128 = 0
        var fees: Int128 = 0
        var net: Int128 = 0
        var count: Int64 = 0
        var balance = RunningBalance()
    }

    private let mapping: CSVMapping
    private let defaultCurrency: Currency?
    private let hasOwnNames: Bool
    /// The column names in the file for Daybook's columns.
    private let columnNames: [String]
    private let negative: Set<String>
    private let positive: Set<String>
    private let constants: [(ReferenceKind, String)]
    private var currencies = CurrencyMemory()
    private var transactionCurrencies = CurrencyMemory()
    private var zones = ZoneNames()
    private var unknown = UnknownCodes()
    private var feet = RowChecks()
    private var sums = ScopedSums<Currency, Sums>()
    private var lastType: (bytes: [UInt8], meaning: CSVMapping.Meaning, raw: String)?
    private var present = LineFields()

    /// The columns in the header, looked up once.
    private struct LineFields: Sendable {
        var fees: [(column: DaybookColumn, kind: FeeKind)] = []
        var references: [(column: DaybookColumn, kind: ReferenceKind)] = []
        var hasSides = false
    }

    init(_ options: StatementOptions) {
        let mapping = options.mapping ?? CSVMapping()
        self.mapping = mapping
        defaultCurrency = mapping.currency ?? options.currency
        hasOwnNames = mapping.columns.isEmpty
        columnNames = DaybookColumn.allCases.map { mapping.columns[$0.title] ?? "" }
        negative = Set(mapping.negative.map { $0.lowercased() })
        positive = Set(mapping.positive.map { $0.lowercased() })
        constants = mapping.constants.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
    }

    var delimiter: UInt8? { mapping.delimiter }

    func names(of column: DaybookColumn) -> [String] {
        hasOwnNames ? [column.title] + column.aliases : [columnNames[column.rawValue]]
    }

    /// An amount column, and the other columns that the file must have.
    var required: [DaybookColumn] {
        if hasOwnNames { return [.type] }
        let named = mapping.columns.keys
        let amounts: [DaybookColumn] = [.gross, .net, .credit, .debit].filter { named.contains($0.title) }
        return amounts + (named.contains("type") ? [.type] : []) + (named.contains("sign") ? [.sign] : [])
    }

    mutating func begin(_ columns: CSVColumns<DaybookColumn>, line: Int, into sink: StatementSink) throws {
        for column in DaybookColumn.allCases where !hasOwnNames && !columnNames[column.rawValue].isEmpty {
            guard columns.has(column) else {
                throw StatementProblem(
                    .missingColumn,
                    line: line,
                    column: .named(columnNames[column.rawValue]),
                    "The mapping names a column that the file does not have."
                )
            }
        }
        let amounts: [DaybookColumn] = [.gross, .net, .debit, .credit]
        guard amounts.contains(where: { columns.has($0) }) else {
            throw StatementProblem(
                .missingColumn,
                line: line,
                column: .named(DaybookColumn.gross.title),
                "A column with amounts is expected: gross, net, or debit and credit."
            )
        }
        present.fees = DaybookColumn.fees.filter { columns.has($0.column) }
        present.references = DaybookColumn.references.filter { columns.has($0.column) }
        present.hasSides = columns.has(.debit) || columns.has(.credit)
    }

    mutating func row(_ cells: CSVCells<DaybookColumn>, into sink: StatementSink) throws {
        let (meaning, raw) = try meaning(cells, sink)
        if meaning == .ignored { return }
        let currency = try currency(cells)
        if meaning == .total { return try total(cells, currency, sink) }
        var line = StatementLine(
            line: cells.line,
            side: mapping.side,
            type: .other,
            rawType: raw.isEmpty ? nil : raw,
            currency: currency
        )
        if case .line(let type) = meaning { line.type = type }
        try amounts(cells, &line, isTypeKnown: !raw.isEmpty || mapping.defaultType != nil, sink)
        try times(cells, &line, sink)
        references(cells, &line)
        try add(line, cells)
        try sink(.line(line))
    }

    private func currency(_ field: Field) throws -> Currency {
        guard let defaultCurrency else { throw field.problem(.missingCurrency, "A currency is expected.") }
        return defaultCurrency
    }

    private mutating func currency(_ cells: CSVCells<DaybookColumn>) throws -> Currency {
        let field = cells[.currency]
        return field.isEmpty ? try currency(field) : try currencies.currency(field)
    }

    /// The meaning of the row's word for its type; the words of the last row are cached.
    private mutating func meaning(
        _ cells: CSVCells<DaybookColumn>,
        _ sink: StatementSink
    ) throws -> (CSVMapping.Meaning, raw: String) {
        let field = cells[.type]
        guard !field.isEmpty else {
            if let type = mapping.defaultType { return (.line(type), "") }
            guard !cells.columns.has(.type) else { throw field.problem(.missingValue, "A type is expected.") }
            return (.line(.other), "")
        }
        if let lastType, field.bytes.elementsEqual(lastType.bytes) { return (lastType.meaning, lastType.raw) }
        let raw = field.text ?? ""
        let word = raw.lowercased()
        var meaning = CSVMapping.Meaning.line(.other)
        if let found = mapping.types[word] {
            meaning = found
        } else if let type = LineType(rawValue: word) {
            meaning = .line(type)
        } else if word == "total", hasOwnNames {
            meaning = .total
        } else if let type = mapping.defaultType {
            meaning = .line(type)
        } else if mapping.sign == .byType {
            throw field.problem(.unknownCode, "The mapping has no such type, and the type decides the sign.")
        } else {
            try unknown.note(raw, line: cells.line, "Type", into: sink)
        }
        lastType = (Array(field.bytes), meaning, raw)
        return (meaning, raw)
    }

    // MARK: Amounts

    private mutating func amounts(
        _ cells: CSVCells<DaybookColumn>,
        _ line: inout StatementLine,
        isTypeKnown: Bool,
        _ sink: StatementSink
    ) throws {
        var (gross, net) = try figures(cells, line.currency)
        if !isTypeKnown, let amount = gross ?? net {
            // Only the sign shows what it is.
            let signed = try sign(amount, cells, line.type)
            line.type = mapping.side == .bank ? (signed < 0 ? .withdrawal : .deposit) : .other
        }
        gross = try gross.map { try sign($0, cells, line.type) }
        net = try net.map { try sign($0, cells, line.type) }
        for fee in present.fees {
            guard let amount = try cells[fee.column].optionalAmount(line.currency, mapping.amounts), amount != 0 else {
                continue
            }
            line.fees.append(LineFee(fee.kind, mapping.areFeesPositive ? -amount : amount))
        }
        let fees = line.fees.reduce(Int128(0)) { $0 + Int128($1.amount) }
        switch (gross, net) {
        case (let gross?, let net?): try feet.check("net", stated: net, sum: Int128(gross) + fees, of: line, into: sink)
        case (let known?, nil): net = try fitting(Int128(known) + fees, cells[.gross])
        case (nil, let known?): gross = try fitting(Int128(known) - fees, cells[.net])
        case (nil, nil): throw cells[.gross].problem(.missingValue, "An amount is expected.")
        }
        (line.gross, line.net) = (gross, net)
        let paid = cells[.transactionAmount]
        guard !paid.isEmpty else { return }
        let currency = try transactionCurrencies.currency(cells[.transactionCurrency])
        let amount = try paid.amount(currency, mapping.amounts)
        if currency != line.currency { line.transactionAmount = Money(try sign(amount, cells, line.type), currency) }
    }

    private func fitting(_ sum: Int128, _ field: Field) throws -> Int64 {
        // The smallest `Int64` has no magnitude.
        guard let value = Int64(exactly: sum), value != .min else {
            throw field.problem(.badAmount, AmountFault.tooLarge.detail)
        }
        return value
    }

    /// Gross and net as stated in the row.
    private func figures(
        _ cells: CSVCells<DaybookColumn>,
        _ currency: Currency
    ) throws -> (gross: Int64?, net: Int64?) {
        var gross = try cells[.gross].optionalAmount(currency, mapping.amounts)
        let net = try cells[.net].optionalAmount(currency, mapping.amounts)
        if present.hasSides, gross == nil {
            let credit = try cells[.credit].optionalAmount(currency, mapping.amounts)
            let debit = try cells[.debit].optionalAmount(currency, mapping.amounts)
            if credit != nil || debit != nil {
                // Some files write amounts in the debit column as negative as well.
                gross = try fitting(Int128(credit ?? 0) - Int128((debit ?? 0).magnitude), cells[.debit])
            }
        }
        return (gross, net)
    }

    private func sign(_ amount: Int64, _ cells: CSVCells<DaybookColumn>, _ type: LineType) throws -> Int64 {
        switch mapping.sign {
        case .asWritten: return amount
        case .inverted: return -amount
        case .byType: return type.isUsuallyNegative ? -abs(amount) : abs(amount)
        case .byColumn:
            let field = cells[.sign]
            let word = (field.text ?? "").lowercased()
            if negative.contains(word) { return -abs(amount) }
            if positive.isEmpty || positive.contains(word) { return abs(amount) }
            throw field.problem(.unknownCode, "A word for above or below zero is expected, as the mapping has them.")
        }
    }

    // MARK: Times and references

    private mutating func times(
        _ cells: CSVCells<DaybookColumn>,
        _ line: inout StatementLine,
        _ sink: StatementSink
    ) throws {
        let order = mapping.dateOrder
        let occurred = cells[.occurredAt]
        if !occurred.isEmpty {
            guard let (wall, rest) = DateText.dayAndTime(occurred.bytes, order: order),
                let ahead = DateText.offset(rest)
            else { throw occurred.problem(.badDate, "A time with Z or an offset is expected.") }
            line.occurredAt = wall.adding(microseconds: -ahead * 1_000_000)
            line.day = wall.day
        }
        let local = cells[.localTime]
        if !local.isEmpty {
            if let (wall, rest) = DateText.dayAndTime(local.bytes, order: order) {
                line.localTime = wall
                line.day = wall.day
                let zone = Field(rest, line: cells.line, column: local.column)
                if !zone.isEmpty { try place(&line, in: zone.bytes, sink) }
            } else {
                line.day = try local.day(order)
            }
        }
        let day = cells[.day]
        if !day.isEmpty {
            line.day = DateText.dayAndTime(day.bytes, order: order).map { $0.wall.day }
            if line.day == nil { line.day = try day.day(order) }
            let time = cells[.time]
            if !time.isEmpty, let found = line.day {
                guard let microseconds = DateText.time(time.bytes) else {
                    throw time.problem(.badDate, "A time is expected.")
                }
                line.localTime = DateText.wall(found, microseconds)
            }
        }
        if line.occurredAt == nil, line.localTime != nil {
            let zone = cells[.zone]
            let bytes = zone.isEmpty ? mapping.zone.map { Array($0.utf8)[...] } : zone.bytes
            if let bytes, line.zone == nil { try place(&line, in: bytes, sink) }
        }
        line.bookedDay = try cells[.bookedDay].optionalDayOrTime(order)
        line.valueDay = try cells[.valueDay].optionalDayOrTime(order)
        line.day = line.day ?? line.bookedDay ?? line.valueDay
    }

    private mutating func place(
        _ line: inout StatementLine,
        in zone: ArraySlice<UInt8>,
        _ sink: StatementSink
    ) throws {
        guard let wall = line.localTime else { return }
        line.zone = zones.name(zone)
        line.occurredAt = zones.instant(wall, in: zone)
        if line.occurredAt == nil { try unknown.note(line.zone ?? "", line: line.line, "Time zone", into: sink) }
    }

    private func references(_ cells: CSVCells<DaybookColumn>, _ line: inout StatementLine) {
        var references = LineReferences()
        references.reserve(present.references.count + constants.count)
        for (kind, value) in constants { references[kind] = value }
        for (column, kind) in present.references {
            let field = cells[column]
            if field.isEmpty { continue }
            switch kind {
            case .lastFour: references[kind] = CardDigits.lastFour(field.bytes)
            case .invoice, .text, .counterparty, .other, .endToEnd, .clerk: references[kind] = field.text
            default: references[kind] = field.id
            }
        }
        line.references = references
        line.rawStatus = cells[.status].text
        line.group = cells[.group].id
        if let role = cells[.role].id.flatMap({ LineRole(rawValue: $0) }) { line.role = role }
    }

    // MARK: Sums

    private mutating func add(_ line: StatementLine, _ cells: CSVCells<DaybookColumn>) throws {
        let balance = try cells[.balance].optionalAmount(line.currency, mapping.amounts)
        try sums.update(line.currency, line: line.line, initial: Sums()) { sums in
            sums.count += 1
            guard line.role != .part else { return }
            sums.gross += Int128(line.gross ?? 0)
            sums.net += Int128(line.net ?? 0)
            for fee in line.fees { sums.fees += Int128(fee.amount) }
            if let balance { sums.balance.add(line.amount ?? 0, balance: balance, line: line.line) }
        }
    }

    /// Compares a total row with the rows above it in its currency.
    private func total(_ cells: CSVCells<DaybookColumn>, _ currency: Currency, _ sink: StatementSink) throws {
        let sums = sums[currency] ?? Sums()
        func control(_ kind: StatementControl.Kind, _ name: String, _ stated: Int64?, _ sum: Int128) throws {
            guard let stated else { return }
            try sink(
                .control(
                    StatementControl(
                        kind,
                        name,
                        scope: "rows in \(currency.alpha)",
                        stated: stated,
                        sum: sum,
                        currency: kind == .count ? nil : currency,
                        line: cells.line
                    )
                )
            )
        }
        let figures = try figures(cells, currency)
        try control(.total, "total-gross", figures.gross, sums.gross)
        try control(.total, "total-net", figures.net, sums.net)
        if let fee = try cells[.fee].optionalAmount(currency, mapping.amounts) {
            try control(.total, "total-fees", mapping.areFeesPositive ? -fee : fee, sums.fees)
        }
        let count = cells[.count]
        if !count.isEmpty { try control(.count, "row-count", try count.count(), Int128(sums.count)) }
    }

    mutating func finish(line: Int, into sink: StatementSink) throws {
        try feet.report("rows-that-foot", line: line, into: sink)
        for (currency, sums) in sums.entries {
            try sums.balance.report("rows in \(currency.alpha)", currency, line: line, into: sink)
        }
    }
}

extension LineType {
    /// True for types that take money from the merchant when written without a sign.
    var isUsuallyNegative: Bool {
        switch self {
        case .refund, .chargeback, .fee, .reserve, .payout, .withdrawal, .void: true
        default: false
        }
    }
}

extension Field {
    /// A day, or the day of a time. Nil if the field is empty.
    ///
    /// - Throws: `.badDate`.
    func optionalDayOrTime(_ order: DateOrder) throws(StatementProblem) -> CivilDate? {
        guard !isEmpty else { return nil }
        if let (wall, _) = DateText.dayAndTime(bytes, order: order) { return wall.day }
        return try day(order)
    }
}
