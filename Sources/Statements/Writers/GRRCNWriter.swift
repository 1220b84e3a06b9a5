package import Canonical
import Payments

/// Writes American Express's global reconciliation, version 2.01 with commas. Lines must be in the order of the file: a
/// payout, then its batches, each with its transactions, then chargebacks, adjustments and fees.
package struct GRRCNWriter: StatementWriter {
    package var fileName: String
    package var sequence: Int64
    /// By American Express's clock.
    package var createdAt: Timestamp

    package init(fileName: String, sequence: Int64, createdAt: Timestamp) {
        self.fileName = fileName
        self.sequence = sequence
        self.createdAt = createdAt
    }

    /// The payment and the submission that the records belong to.
    private struct Place {
        var payout: StatementLine?
        var batch: StatementLine?
    }

    package func write(_ lines: [StatementLine]) throws -> [UInt8] {
        var records: [[String]] = []
        let made = WrittenText.compactTime(createdAt)
        records.append([
            "HEADER", String(made.prefix(8)), String(made.suffix(6)), WrittenText.padded(sequence, 10), "GRRCN",
            fileName, "2.01",
        ])
        var place = Place()
        for (index, line) in lines.enumerated() {
            switch line.type {
            case .payout:
                let after = lines[(index + 1)...].prefix { $0.type != .payout }
                records.append(try summary(line, Array(after), index))
                place = Place(payout: line)
            case .batch:
                records.append(try submission(line, place, lines, index))
                place.batch = line
            case .sale, .capture, .refund: records.append(try transaction(line, place, index))
            case .chargeback, .chargebackReversal, .adjustment:
                records.append(try adjustment(line, place, index))
            case .fee: records.append(try fee(line, place, index))
            default: throw StatementWriterError(index: index, "There is no record for \(line.type.rawValue).")
            }
        }
        records.append([
            "TRAILER", WrittenText.padded(sequence, 10), WrittenText.padded(Int64(records.count + 1), 10),
        ])
        let text = records.map { $0.map(WrittenText.quoted).joined(separator: ",") + "\n" }.joined()
        return Array(text.utf8)
    }

    /// A blank or a minus, and 15 digits.
    private func amount(_ value: Int64) -> String {
        (value < 0 ? "-" : " ") + WrittenText.padded(Int64(value.magnitude), 15)
    }

    private func fees(_ line: StatementLine, _ kind: FeeKind) -> Int64 {
        line.fees.filter { $0.kind == kind }.reduce(0) { $0 - $1.amount }
    }

    /// The first fields of every record except header and trailer.
    private func key(_ name: String, _ line: StatementLine, _ place: Place, _ index: Int) throws -> [String] {
        guard let payout = place.payout ?? (line.type == .payout ? line : nil), let day = payout.valueDay else {
            throw StatementWriterError(index: index, "A payout with a value day goes before its records.")
        }
        return [
            name, payout.references[.merchant] ?? "", "002", payout.references[.payout] ?? "",
            WrittenText.compact(day), payout.currency.alpha,
        ]
    }

    private func summary(_ line: StatementLine, _ details: [StatementLine], _ index: Int) throws -> [String] {
        guard let net = line.net else { throw StatementWriterError(index: index, "A payout has an amount.") }
        let batches = details.filter { $0.type == .batch }
        let others = details.filter { $0.type != .batch && $0.role != .part }
        func sum(_ amounts: [Int64?]) throws -> String { amount(try WrittenText.sum(amounts, index: index)) }
        return try key("SUMMARY", line, Place(), index) + [
            "", amount(-net), try sum(batches.map(\.gross)), try sum(batches.map { fees($0, .discount) }),
            try sum(batches.map { fees($0, .service) }), try sum(others.map(\.net)),
            try sum(batches.map { fees($0, .tax) }), amount(0), line.references[.account] ?? "", "", "", "",
        ]
    }

    /// The merchant, days and number of a submission, which its transactions repeat.
    private func submissionKey(_ line: StatementLine, _ index: Int) throws -> [String] {
        guard let day = line.day, let processed = line.bookedDay else {
            throw StatementWriterError(index: index, "A batch has its day and the day it was processed.")
        }
        let number = line.references[.batch].flatMap { Int64($0) } ?? 0
        return [
            line.references[.merchant] ?? "", WrittenText.compact(day), WrittenText.compact(processed),
            WrittenText.padded(number, 15), line.currency.alpha,
        ]
    }

    private func submission(
        _ line: StatementLine,
        _ place: Place,
        _ lines: [StatementLine],
        _ index: Int
    ) throws -> [String] {
        guard let gross = line.gross, let net = line.net else {
            throw StatementWriterError(index: index, "A batch has a gross and a net.")
        }
        let count = lines[(index + 1)...].prefix { $0.role == .part }.count
        return try key("SUBMISSION", line, place, index) + submissionKey(line, index) + [
            "", "", amount(gross), amount(gross), amount(fees(line, .discount)), amount(fees(line, .service)),
            amount(fees(line, .tax)), amount(net), "", "", count > 0 ? WrittenText.padded(Int64(count), 7) : "", "",
            "", "", "", "", "", "", "", amount(gross), amount(0),
        ]
    }

    private func transaction(_ line: StatementLine, _ place: Place, _ index: Int) throws -> [String] {
        guard let batch = place.batch, let gross = line.gross, let day = line.day else {
            throw StatementWriterError(index: index, "A transaction has an amount and a day, and follows its batch.")
        }
        let time = line.localTime.map { String(WrittenText.compactTime($0).suffix(6)) } ?? ""
        return try key("TRANSACTN", line, place, index) + submissionKey(batch, index) + [
            line.references[.location] ?? "", line.references[.invoice] ?? "", "", card(line), "",
            amount(batch.gross ?? 0), amount(gross), WrittenText.compact(day), time,
            line.references[.processor] ?? "", line.references[.authCode] ?? "", line.references[.terminal] ?? "", "",
            "", line.references[.arn] ?? "",
        ]
    }

    private func card(_ line: StatementLine) -> String { line.references[.lastFour].map { "37XXXXXXXXX\($0)" } ?? "" }

    private func adjustment(_ line: StatementLine, _ place: Place, _ index: Int) throws -> [String] {
        guard let gross = line.gross, let net = line.net, let day = line.day, let processed = line.bookedDay else {
            throw StatementWriterError(index: index, "A chargeback or adjustment has amounts and days.")
        }
        let number = line.references[.batch].flatMap { Int64($0) }.map { WrittenText.padded($0, 15) }
        let name = line.type == .adjustment ? "ADJUSTMENT" : "CHARGEBACK"
        return try key(name, line, place, index) + [
            line.references[.merchant] ?? "", WrittenText.compact(day), line.references[.location] ?? "",
            line.references[.invoice] ?? "", "", card(line), "", WrittenText.compact(processed), number ?? "",
            line.currency.alpha, line.references[.related] ?? "", "", line.references[.text] ?? "", amount(gross),
            amount(fees(line, .discount)), amount(fees(line, .service)), amount(fees(line, .tax)), amount(net),
        ]
    }

    private func fee(_ line: StatementLine, _ place: Place, _ index: Int) throws -> [String] {
        guard let net = line.net, net < 0 else {
            throw StatementWriterError(index: index, "A fee has an amount below zero.")
        }
        var key = try key("FEEREVENUE", line, place, index)
        key.remove(at: 2)
        return key + [
            line.references[.merchant] ?? "", line.references[.location] ?? "", amount(net),
            line.references[.text] ?? "", amount(0), "", "",
        ]
    }
}
