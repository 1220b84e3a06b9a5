import Canonical
import Payments

/// Writes iPOSgo's answers: a document for each transaction and for each batch settlement, one per line. The totals of
/// a batch are beside its settlement, in SPIn's form.
package struct IPOSgoWriter: StatementWriter {
    /// False to omit the totals, as iPOSgo itself does.
    package var hasTotals: Bool

    package init(hasTotals: Bool = true) {
        self.hasTotals = hasTotals
    }

    private struct Sums {
        var sales: Int64 = 0
        var returns: Int64 = 0
        var count: Int64 = 0
    }

    package func write(_ lines: [StatementLine]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var batches: [[String?]: Sums] = [:]
        for line in lines where line.type != .batch && line.net ?? 0 != 0 {
            let key = [line.references[.terminal], line.references[.batch]]
            let amount = line.net ?? 0
            if amount < 0 {
                batches[key, default: Sums()].returns -= amount
            } else {
                batches[key, default: Sums()].sales += amount
            }
            batches[key, default: Sums()].count += 1
        }
        for (index, line) in lines.enumerated() {
            let key = [line.references[.terminal], line.references[.batch]]
            let document =
                line.type == .batch
                ? try settlement(line, index, batches[key] ?? Sums()) : try transaction(line, index)
            bytes += Array(document.text.utf8) + [0x0A]
        }
        return bytes
    }

    private func transaction(_ line: StatementLine, _ index: Int) throws -> JSONValue {
        guard let gross = line.gross, let local = line.localTime else {
            throw StatementWriterError(index: index, "A transaction has an amount and a time.")
        }
        let isApproved = line.net == line.gross || [.void, .authorization].contains(line.type)
        let amount = WrittenText.decimal(abs(gross), line.currency)
        var details: JSONObject = [
            "Amount": .string(amount), "TotalAmt": .string(amount), "txnLabel": .string(try label(line, index)),
            "TxnType": .string(line.type == .refund ? "2" : "1"), "RespCode": .string(isApproved ? "00" : "05"),
            "DateTime": .string(WrittenText.compactTime(local)),
        ]
        for (kind, name) in [
            (ReferenceKind.batch, "BatchNum"), (.lastFour, "AcntLast4"), (.rrn, "RRN"), (.trace, "TraceNum"),
            (.other, "HostTxnId"), (.processor, "txnId"), (.brand, "CardType"),
        ] {
            if let value = line.references[kind] { details[name] = .string(value) }
        }
        var answer: JSONObject = [:]
        for (kind, name) in [
            (ReferenceKind.related, "RefId"), (.authCode, "AuthCode"), (.rrn, "PNRef"), (.invoice, "TransNum"),
        ] {
            if let value = line.references[kind] { answer[name] = .string(value) }
        }
        answer["ResultCode"] = .string(isApproved ? "0" : "5")
        answer["Message"] = .string(line.rawStatus ?? (isApproved ? "APPROVED" : "DECLINED"))
        answer["ExtData"] = .object(details)
        var document: JSONObject = ["Spin_Response": .object(answer)]
        if let terminal = line.references[.terminal] { document["Tpn"] = .string(terminal) }
        return .object(document)
    }

    private func label(_ line: StatementLine, _ index: Int) throws -> String {
        if let raw = line.rawType { return raw }
        switch line.type {
        case .sale: return "Sale"
        case .refund: return "Refund"
        case .void: return "Void"
        case .authorization: return "Pre Auth"
        case .capture: return "Ticket"
        default: throw StatementWriterError(index: index, "A terminal has no \(line.type.rawValue).")
        }
    }

    private func settlement(_ line: StatementLine, _ index: Int, _ sums: Sums) throws -> JSONValue {
        guard let batch = line.references[.batch].flatMap({ Int64($0) }), let local = line.localTime else {
            throw StatementWriterError(index: index, "A settlement has a batch number and a time.")
        }
        var document: JSONObject = [
            "transaction_title": .string(line.rawType ?? "settlements"), "transaction_type": 7,
            "batch_no": .number(JSONNumber(batch)), "timeStamp": .string(WrittenText.compactTime(local)),
            "status": .string(line.rawStatus ?? "BATCH SETTLED"), "statusCode": "00",
        ]
        if let terminal = line.references[.terminal] { document["Tpn"] = .string(terminal) }
        if let id = line.references[.processor] { document["transaction_id"] = .string(id) }
        guard hasTotals else { return .object(document) }
        func figure(_ value: Int64) -> JSONValue { .string(WrittenText.decimal(value, line.currency)) }
        document["SettleDetails"] = [
            [
                "Application": "Credit", "HostStatus": "00",
                "TransactionsReports": [
                    "TransactionsCount": .number(JSONNumber(sums.count)), "SaleAmount": figure(sums.sales),
                    "ReturnAmount": figure(sums.returns), "TotalAmount": figure(sums.sales - sums.returns),
                ],
            ]
        ]
        return .object(document)
    }
}
