package import Canonical
import Payments

/// Writes a balance report of BAI2: a group for each day, an account for each account of that day. Lines must be in the
/// order of their days and accounts.
package struct BAI2Writer: StatementWriter {
    package var sender: String
    package var receiver: String
    /// The creation time of the file, by the sender's clock.
    package var createdAt: Timestamp
    /// Ledger balances in minor units before the first day, by account; zero for other accounts.
    package var opening: [String: Int64]

    package init(sender: String, receiver: String, createdAt: Timestamp, opening: [String: Int64] = [:]) {
        self.sender = sender
        self.receiver = receiver
        self.createdAt = createdAt
        self.opening = opening
    }

    private struct Trailer {
        var total: Int64 = 0
        var parts = 0
        var records = 0
    }

    package func write(_ lines: [StatementLine]) throws -> [UInt8] {
        var text = ""
        var balances = opening
        var file = Trailer()
        let made = WrittenText.compactTime(createdAt)
        text += "01,\(sender),\(receiver),\(made.dropFirst(2).prefix(6)),\(made.dropFirst(8).prefix(4)),1,80,,2/\n"
        file.records = 1
        let numbered = lines.enumerated().map { (index: $0.offset, line: $0.element) }
        for group in Self.runs(numbered, by: { $0.line.day }) {
            guard let day = group[0].line.day else {
                throw StatementWriterError(index: group[0].index, "A detail has a day.")
            }
            text += "02,\(receiver),\(sender),1,\(WrittenText.compact(day).dropFirst(2)),,,2/\n"
            var trailer = Trailer(records: 1)
            for account in Self.runs(group, by: { $0.line.references[.account] }) {
                let written = try self.account(account, &balances, &text)
                trailer.total += written.total
                trailer.parts += 1
                trailer.records += written.records
            }
            trailer.records += 1
            text += "98,\(trailer.total),\(trailer.parts),\(trailer.records)/\n"
            file.total += trailer.total
            file.parts += 1
            file.records += trailer.records
        }
        text += "99,\(file.total),\(file.parts),\(file.records + 1)/\n"
        return Array(text.utf8)
    }

    /// Consecutive elements with the same key.
    private static func runs<Element, Key: Equatable>(_ elements: [Element], by key: (Element) -> Key) -> [[Element]] {
        var runs: [[Element]] = []
        for element in elements {
            if let last = runs.last?.last, key(last) == key(element) {
                runs[runs.count - 1].append(element)
            } else {
                runs.append([element])
            }
        }
        return runs
    }

    private func account(
        _ lines: [(index: Int, line: StatementLine)],
        _ balances: inout [String: Int64],
        _ text: inout String
    ) throws -> Trailer {
        let (index, first) = lines[0]
        guard let number = first.references[.account] else {
            throw StatementWriterError(index: index, "A detail has an account.")
        }
        try check(number, index)
        let credits = lines.compactMap { $0.line.amount.flatMap { $0 > 0 ? $0 : nil } }
        let debits = lines.compactMap { $0.line.amount.flatMap { $0 < 0 ? -$0 : nil } }
        let (credit, debit) = (
            try WrittenText.sum(credits, index: index), try WrittenText.sum(debits, index: index)
        )
        let before = balances[number] ?? 0
        let after = try WrittenText.sum([before, credit, -debit], index: index)
        balances[number] = after
        text += "03,\(number),\(first.currency.alpha),010,\(before),,,015,\(after),,/\n"
        text += "88,100,\(credit),\(credits.count),,400,\(debit),\(debits.count),/\n"
        for (index, line) in lines {
            guard line.currency == first.currency else {
                throw StatementWriterError(index: index, "An account has one currency.")
            }
            text += try detail(line, index)
        }
        let records = lines.count + 3
        // The amounts are added up as written, whatever the direction of the money.
        let total = try WrittenText.sum([before, after, credit, debit, credit, debit], index: index)
        text += "49,\(total),\(records)/\n"
        return Trailer(total: total, records: records)
    }

    private func detail(_ line: StatementLine, _ index: Int) throws -> String {
        guard let amount = line.amount, amount != 0 else {
            throw StatementWriterError(index: index, "A detail has an amount.")
        }
        let code = line.rawType ?? (amount > 0 ? "165" : line.type == .fee ? "698" : "455")
        guard let number = Int(code), BAI2Codes.sense(number) == (amount > 0 ? .credit : .debit) else {
            throw StatementWriterError(index: index, "The type code does not go with the amount's sign.")
        }
        let references = [line.references[.bank] ?? "", line.references[.invoice] ?? ""]
        for reference in references { try check(reference, index) }
        let text = line.references[.text] ?? ""
        guard !text.contains("/"), !text.contains(where: \.isNewline) else {
            throw StatementWriterError(index: index, "Text of BAI2 has no slash and no line end.")
        }
        let funds = line.valueDay.map { "V,\(WrittenText.compact($0).dropFirst(2))," } ?? ""
        return "16,\(code),\(abs(amount)),\(funds),\(references.joined(separator: ",")),\(text)/\n"
    }

    private func check(_ reference: String, _ index: Int) throws {
        guard !reference.contains(where: { $0 == "," || $0 == "/" || $0.isNewline }) else {
            throw StatementWriterError(index: index, "References of BAI2 have no comma, slash or line end.")
        }
    }
}
