import Tables

extension StatementFormat {
    /// The number of bytes of a file that are enough to recognise it.
    package static let recognisedBytes = 1 << 16

    /// The format of a file that begins with these bytes; nil if none fits, or more than one.
    package static func recognise(_ head: some Sequence<UInt8>) -> StatementFormat? {
        let text = decoded(Array(head.prefix(recognisedBytes)))
        guard let first = text.first(where: { $0 > 0x20 }) else { return nil }
        let begun = text.drop { $0 <= 0x20 }
        switch first {
        case UInt8(ascii: "<"): return markup(begun)
        case UInt8(ascii: "{"), UInt8(ascii: "["): return json(begun)
        default: return records(begun) ?? table(text)
        }
    }

    /// Decodes as much as possible; a character cut off at the end does not matter.
    private static func decoded(_ head: [UInt8]) -> [UInt8] {
        var input = DecodedInput()
        var text: [UInt8] = []
        try? input.read(head[...]) { text += $0 }
        return text
    }

    private static func holds(_ text: ArraySlice<UInt8>, _ word: StaticString) -> Bool {
        text.withUnsafeBytes { text in
            let word = UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
            var place = 0
            while place + word.count <= text.count {
                if text[place] == word[0], text[place..<(place + word.count)].elementsEqual(word) { return true }
                place += 1
            }
            return false
        }
    }

    private static func only(_ found: [StatementFormat]) -> StatementFormat? { found.count == 1 ? found[0] : nil }

    private static func markup(_ text: ArraySlice<UInt8>) -> StatementFormat? {
        var found: [StatementFormat] = []
        if holds(text, "BkToCstmrStmt") { found.append(.camt053) }
        if holds(text, "BkToCstmrDbtCdtNtfctn") { found.append(.camt054) }
        return only(found)
    }

    private static func json(_ text: ArraySlice<UInt8>) -> StatementFormat? {
        var found: [StatementFormat] = []
        if holds(text, "\"payout_entries\"") || holds(text, "\"payout_id\"") || isSquarePayouts(text) {
            found.append(.squarePayout)
        }
        if holds(text, "\"Spin_Response\"") || holds(text, "\"transaction_title\"") {
            found.append(.iposgoSettlement)
        } else if holds(text, "\"SettleDetails\"") || holds(text, "\"SummaryDetails\"") {
            found.append(.spinBatch)
        }
        if holds(text, "\"TransactionType\""), holds(text, "\"SettleAmount\"") || holds(text, "\"AuthorizedAmount\"") {
            found.append(.bridgepayTransactions)
        }
        return only(found)
    }

    /// Payouts without their entries. Square's other objects also have an `amount_money`, but no day of arrival
    /// (developer.squareup.com, Payout).
    private static func isSquarePayouts(_ text: ArraySlice<UInt8>) -> Bool {
        guard holds(text, "\"amount_money\"") else { return false }
        return ["\"payouts\"", "\"payout\"", "\"arrival_date\""].contains { (word: StaticString) in holds(text, word) }
    }

    private static func records(_ text: ArraySlice<UInt8>) -> StatementFormat? {
        let line = text.prefix { $0 != 0x0A && $0 != 0x0D }
        if line.starts(with: Array("DFHDR".utf8)) { return .amexEPRAW }
        if line.starts(with: Array("\"HEADER\"".utf8)) || line.starts(with: Array("HEADER".utf8)) {
            return holds(line, "GRRCN") ? .amexGRRCN : nil
        }
        if line.starts(with: Array("01,".utf8)), line.count(where: { $0 == UInt8(ascii: ",") }) >= 5 { return .bai2 }
        if line.starts(with: Array("90".utf8)), line.count >= 26, DateText.day(line.dropFirst(8).prefix(10)) != nil {
            return .valitorClearing
        }
        return nil
    }

    private static let adyen = CSVNames(AdyenSettlement())
    private static let stripe = CSVNames(StripePayout())
    private static let paypal = CSVNames(PayPalActivity(StatementOptions()))
    private static let bridgepay = CSVNames(BridgePayCSV(StatementOptions()))
    private static let daybook = CSVNames(DaybookCSV(StatementOptions()))

    /// Recognises a table by the column names in one of the first rows. Daybook's own names are common words, so all of
    /// them must be Daybook's.
    private static func table(_ text: [UInt8]) -> StatementFormat? {
        var found: Set<StatementFormat> = []
        var seen = 0
        func compare(_ row: CSVRow) {
            seen += 1
            guard seen <= CSVFile<AdyenSettlement>.headRows else { return }
            if isHeader(row, AdyenSettlement(), adyen) { found.insert(.adyenSettlement) }
            if isHeader(row, StripePayout(), stripe) { found.insert(.stripePayout) }
            if isHeader(row, PayPalActivity(StatementOptions()), paypal) { found.insert(.paypalActivity) }
            if isHeader(row, BridgePayCSV(StatementOptions()), bridgepay) { found.insert(.bridgepayTransactions) }
            if isHeader(row, DaybookCSV(StatementOptions()), daybook, isWhole: true) { found.insert(.daybookCSV) }
        }
        for delimiter in CSVFile<AdyenSettlement>.delimiters {
            var scanner = CSVScanner(CSVForm(delimiter: delimiter))
            seen = 0
            // A file that cannot be read with this delimiter may be readable with another; the last row may be cut off.
            try? scanner.read(text[...]) { compare($0) }
            try? scanner.finish { compare($0) }
        }
        if found.count > 1 { found.remove(.daybookCSV) }
        return only(Array(found))
    }

    private static func isHeader<Column>(
        _ row: CSVRow,
        _ rows: some CSVRows<Column>,
        _ names: CSVNames<Column>,
        isWhole: Bool = false
    ) -> Bool {
        guard row.count >= max(names.needed, 2), let columns = try? CSVColumns(row, names),
            columns.missing(rows.required) == nil
        else { return false }
        return !isWhole || columns.known == columns.count
    }
}
