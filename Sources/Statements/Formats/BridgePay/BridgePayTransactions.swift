import Canonical
import Payments

/// The fields of a row of BridgePay's transaction report (`PublicGetTransactionsByFilter`).
enum BridgePayColumn: Int, CSVColumn {
    case transactionType, settleAmount, authorizedAmount, gateway
    case requestedAmount, remainingAmount, batch, batchTime, settlementStatus, status, voided, lastFour
    case invoice, authCode, brand, merchant, account, time, currency, reference, terminal, result, clerk, network

    var title: String {
        switch self {
        case .transactionType: "TransactionType"
        case .settleAmount: "SettleAmount"
        case .authorizedAmount: "AuthorizedAmount"
        case .gateway: "GatewayTransID"
        case .requestedAmount: "RequestedAmount"
        case .remainingAmount: "RemainingAmount"
        case .batch: "BatchId"
        case .batchTime: "BatchDateTime"
        case .settlementStatus: "SettlementStatus"
        case .status: "TransactionStatus"
        case .voided: "VoidIndicator"
        case .lastFour: "LastFour"
        case .invoice: "InvoiceNumber"
        case .authCode: "AuthorizationCode"
        case .brand: "CardType"
        case .merchant: "MerchantCode"
        case .account: "MerchantAccountCode"
        case .time: "TransactionDateTime"
        case .currency: "CurrencyCode"
        case .reference: "ReferenceNumber"
        case .terminal: "TerminalId"
        case .result: "ResultCode"
        case .clerk: "Clerk"
        case .network: "NetworkReferenceNumber"
        }
    }

    var aliases: [String] {
        switch self {
        case .gateway: ["GatewayTransactionID", "GatewayTransId", "TransactionId"]
        case .authCode: ["ApprovalCode", "AuthCode"]
        case .brand: ["CardBrand"]
        case .time: ["TransactionDate", "GatewayDateTime", "ISOTransactionDate"]
        case .currency: ["IsoCurrencyCode", "ISOCurrencyCode"]
        case .reference: ["OriginalReferenceNumber", "OriginalGatewayTransID"]
        case .terminal: ["NetworkTerminalId"]
        case .invoice: ["Invoice"]
        case .network: ["RRN"]
        default: []
        }
    }
}

/// Reads the report as CSV with a header or as JSON, depending on the first character.
struct BridgePayTransactions: StatementReader {
    private var csv: CSVFile<BridgePayCSV>
    private var json: JSONFile<BridgePayJSON>
    private var isJSON: Bool?

    init(_ options: StatementOptions) {
        csv = CSVFile(BridgePayCSV(options))
        json = JSONFile(BridgePayJSON(options))
    }

    mutating func read(_ bytes: ArraySlice<UInt8>, into sink: StatementSink) throws {
        if isJSON == nil, let first = bytes.first(where: { $0 > 0x20 && $0 < 0x80 }) {
            isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        }
        // Blanks and byte order marks before it mean the same to both.
        if isJSON != true { try csv.read(bytes, into: sink) }
        if isJSON != false { try json.read(bytes, into: sink) }
    }

    mutating func finish(into sink: StatementSink) throws {
        if isJSON == true { try json.finish(into: sink) } else { try csv.finish(into: sink) }
    }
}

struct BridgePayCSV: CSVRows {
    typealias Column = BridgePayColumn

    let required: [BridgePayColumn] = [.transactionType, .gateway]
    private var rows: BridgePayRows

    init(_ options: StatementOptions) {
        rows = BridgePayRows(options)
    }

    mutating func row(_ cells: CSVCells<BridgePayColumn>, into sink: StatementSink) throws {
        try rows.take(line: cells.line, { cells[$0] }, into: sink)
    }

    mutating func finish(line: Int, into sink: StatementSink) throws {}
}

private struct BridgePayJSON: JSONRows {
    private var rows: BridgePayRows
    private var isFound = false

    init(_ options: StatementOptions) {
        rows = BridgePayRows(options)
    }

    mutating func take(_ record: JSONRecord, into sink: StatementSink) throws {
        for name in ["Transactions", "Rows", "Data", "ResultSet"] {
            guard let listed = try record.objects(name) else { continue }
            for row in listed { try take(record, row, sink) }
            return
        }
        try take(record, record, sink)
    }

    private mutating func take(_ document: JSONRecord, _ row: JSONRecord, _ sink: StatementSink) throws {
        guard row.has("TransactionType") else {
            return try sink(.note(StatementNote(.unknownRecord, line: row.line, "An object that is not a transaction")))
        }
        isFound = true
        try rows.take(
            line: row.line,
            { column in
                for name in [column.title] + column.aliases where row.has(name) { return row[name] }
                return row[column.title]
            },
            into: sink
        )
    }

    mutating func finish(into sink: StatementSink) throws {
        guard isFound else { throw StatementProblem(.unknownFormat, line: 1, "The file holds no transactions.") }
    }
}

/// Makes lines of rows in either form. Amounts are whole minor units.
private struct BridgePayRows: Sendable {
    private let defaultCurrency: Currency?
    private var isCurrencyNoted = false
    private var unknown = UnknownCodes()

    init(_ options: StatementOptions) {
        defaultCurrency = options.currency
    }

    mutating func take(line number: Int, _ field: (BridgePayColumn) -> Field, into sink: StatementSink) throws {
        let name = field(.transactionType)
        guard !name.isEmpty else { throw name.problem(.missingValue, "A transaction has a type.") }
        let currency = try currency(field(.currency), sink)
        let authorized = try field(.authorizedAmount).optionalAmount(currency, .minor)
        let settled = try field(.settleAmount).optionalAmount(currency, .minor)
        guard let amount = [settled, authorized].compactMap({ $0 }).first(where: { $0 != 0 }) ?? settled ?? authorized
        else { throw field(.settleAmount).problem(.missingValue, "An amount is expected.") }
        let isSettled = field(.settlementStatus).is("Settled")
        let isVoided =
            field(.status).is("Voided") || field(.voided).is("true") || field(.voided).is("1")
            || field(.voided).is("Y")
        let found = Self.type(name, isSettled: isSettled)
        var line = StatementLine(
            line: number,
            side: .processor,
            type: isVoided ? .void : found ?? .other,
            rawType: name.text,
            currency: currency
        )
        if found == nil { try unknown.note(line.rawType ?? "", line: number, "Transaction type", into: sink) }
        line.gross = found == .refund ? -amount : amount
        // It moves no money until it is settled, or if it was reversed.
        line.net = isSettled && !isVoided && found != .authorization ? line.gross : 0
        line.rawStatus = [field(.settlementStatus).text, field(.status).text].compactMap { $0 }.joined(separator: " ")
        try times(field, &line)
        line.references[.processor] = field(.gateway).id
        line.references[.related] = field(.reference).id
        line.references[.rrn] = field(.network).id
        line.references[.authCode] = field(.authCode).id
        line.references[.invoice] = field(.invoice).text
        line.references[.merchant] = field(.merchant).id
        line.references[.location] = field(.account).id
        line.references[.terminal] = field(.terminal).id
        line.references[.batch] = field(.batch).id
        line.references[.clerk] = field(.clerk).text
        line.references[.lastFour] = CardDigits.lastFour(field(.lastFour).bytes)
        line.references[.brand] = field(.brand).id
        try sink(.line(line))
    }

    private mutating func currency(_ field: Field, _ sink: StatementSink) throws -> Currency {
        if !field.isEmpty { return try field.currency() }
        if defaultCurrency == nil, !isCurrencyNoted {
            isCurrencyNoted = true
            try sink(
                .note(StatementNote(.assumedCurrency, line: field.line, "The currency is assumed to be US dollars."))
            )
        }
        return defaultCurrency ?? .usd
    }

    private static func type(_ name: Field, isSettled: Bool) -> LineType? {
        if name.is("Sale") { return .sale }
        if name.is("Sale-Auth") || name.is("SaleAuth") || name.is("Increment") {
            return isSettled ? .capture : .authorization
        }
        if name.is("Capture") { return .capture }
        if name.is("Credit") || name.is("Refund") { return .refund }
        if name.is("Void") { return .void }
        return nil
    }

    /// The report does not name the zone of the gateway's clock.
    private func times(_ field: (BridgePayColumn) -> Field, _ line: inout StatementLine) throws {
        let time = field(.time)
        if !time.isEmpty {
            if let (wall, rest) = Self.time(time) {
                line.localTime = wall
                line.day = wall.day
                if let ahead = DateText.offset(rest) {
                    line.occurredAt = wall.adding(microseconds: -ahead * 1_000_000)
                }
            } else {
                line.day = try time.day(.monthDayYear)
            }
        }
        let batch = field(.batchTime)
        if !batch.isEmpty {
            if let (wall, _) = Self.time(batch) {
                line.bookedDay = wall.day
            } else {
                line.bookedDay = try batch.day(.monthDayYear)
            }
        }
        line.day = line.day ?? line.bookedDay
    }

    private static func time(_ field: Field) -> (wall: Timestamp, rest: ArraySlice<UInt8>)? {
        DateText.dayAndTime(field.bytes, order: .monthDayYear)
    }
}
