import Canonical
import Payments
import Tables

@testable import Journal

/// A leg as a reader of a file finds it.
struct ReadLeg: Hashable {
    var day: String
    /// The full name of the account; in Xero, its code and name.
    var account: String
    var money: Money
    /// Where it comes from, by name.
    var about: [String: [UInt8]]

    init(day: String, account: String, money: Money, about: [String: [UInt8]]) {
        (self.day, self.account, self.money, self.about) = (day, account, money, about)
    }

    /// What a file in a format must say of a leg.
    init(_ leg: PostedLeg, in format: ExportFormat) {
        let place = AccountPart(leg.account, leg.part)
        let account =
            switch format {
            case .beancount, .hledger: place.fullName(in: .standard)
            case .quickbooks: place.name(in: .standard)
            case .xero: "\(Chart.standard[leg.account].number) \(place.name(in: .standard))"
            }
        let about: [String: String?] = [
            "position": "\(leg.position)", "event": leg.event.text, "adjusts": leg.adjusts,
            "transaction": leg.transaction?.text, "merchant": leg.merchant, "terminal": leg.terminal, "line": leg.line,
            "statement-line": leg.statementLine?.text,
        ]
        self.init(
            day: leg.day,
            account: account,
            money: leg.amount,
            about: about.compactMapValues { $0 }.mapValues { Array($0.utf8) }
        )
    }
}

/// A reader of files that knows only what the formats say.
struct ExportReader {
    struct Unreadable: Error {
        let line: String
    }

    let format: ExportFormat

    func legs(_ text: String) throws -> [ReadLeg] {
        switch format {
        case .beancount, .hledger: try plainText(text)
        case .quickbooks, .xero: try table(text)
        }
    }

    // MARK: Plain text

    private func plainText(_ text: String) throws -> [ReadLeg] {
        var legs: [ReadLeg] = []
        var day = ""
        var common: [String: [UInt8]] = [:]
        var isInHead = false
        // Characters would join a line feed with what follows it.
        for line in text.utf8.split(separator: 0x0A).map({ String(decoding: $0, as: UTF8.self) }) {
            let indent = line.utf8.prefix { $0 == 0x20 }.count
            let content = String(decoding: line.utf8.dropFirst(indent), as: UTF8.self)
            if indent == 0 {
                let isTransaction = content.utf8.first.map { (0x30...0x39).contains($0) } == true
                guard isTransaction, content.utf8.dropFirst(11).first == UInt8(ascii: "*") else { continue }
                (day, common, isInHead) = (String(content.prefix(10)), [:], true)
            } else if let (name, value) = try reference(content) {
                if isInHead { common[name] = value } else { legs[legs.count - 1].about[name] = value }
            } else {
                isInHead = false
                let words = content.split(separator: " ").map(String.init)
                guard words.count == 3 else { throw Unreadable(line: line) }
                legs.append(ReadLeg(day: day, account: words[0], money: try money(words[1], words[2]), about: common))
            }
        }
        return legs
    }

    /// A line of metadata, or a tag; nil for a posting.
    private func reference(_ content: String) throws -> (String, [UInt8])? {
        let isHledger = format == .hledger
        let body = isHledger ? content.dropFirst(content.hasPrefix("; ") ? 2 : 0) : content[...]
        guard let end = body.firstIndex(of: ":"), body[..<end].allSatisfy({ $0.isLowercase || $0 == "-" }) else {
            return nil
        }
        var value = Array(body[body.index(after: end)...].utf8.dropFirst())
        if isHledger {
            guard !value.contains(where: { ",[]".utf8.contains($0) }) else { throw Unreadable(line: content) }
        } else if value.first == UInt8(ascii: "\"") {
            value = try unquoted(value)
        }
        return (String(body[..<end]), try unescaped(value))
    }

    private func unquoted(_ bytes: [UInt8]) throws -> [UInt8] {
        guard bytes.count > 1, bytes.last == UInt8(ascii: "\"") else { throw Unreadable(line: "\(bytes)") }
        var text: [UInt8] = []
        var rest = bytes.dropFirst().dropLast()
        while let byte = rest.popFirst() {
            guard byte != UInt8(ascii: "\"") else { throw Unreadable(line: "\(bytes)") }
            if byte == UInt8(ascii: "\\") { text += [rest.removeFirst()] } else { text.append(byte) }
        }
        return text
    }

    private func unescaped(_ bytes: [UInt8]) throws -> [UInt8] {
        var text: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte >= 0x20, byte != 0x7F else { throw Unreadable(line: "\(bytes)") }
            guard byte == UInt8(ascii: "%") else {
                text.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(HexadecimalDigits.value(of:)),
                let low = rest.popFirst().flatMap(HexadecimalDigits.value(of:))
            else { throw Unreadable(line: "\(bytes)") }
            text.append(high << 4 | low)
        }
        return text
    }

    private func money(_ figure: String, _ code: String) throws -> Money {
        guard let currency = Currency(alpha: code) else { throw Unreadable(line: code) }
        // Currencies without a minor unit count whole units.
        if currency.exponent == nil {
            guard let units = Int64(figure) else { throw Unreadable(line: figure) }
            return Money(units, currency)
        }
        return try Money.parse(decimal: figure, currency: currency, allowing: .negative)
    }

    // MARK: Tables

    private func table(_ text: String) throws -> [ReadLeg] {
        let rows = try CSVReader.rows(text.utf8, .raw)
        return try rows.dropFirst().map { row in
            // No cell is a formula; only amounts may begin with a minus.
            for cell in row.compactMap(\.self) where !cell.utf8.allSatisfy({ "-.0123456789".utf8.contains($0) }) {
                guard let first = cell.utf8.first, !"=+-@\t\r".utf8.contains(first) else {
                    throw Unreadable(line: cell)
                }
            }
            let cells = row.map { $0 ?? "" }
            guard row.count == rows[0].count else { throw Unreadable(line: "\(row)") }
            if format == .quickbooks {
                let date = cells[1].split(separator: "/")
                let figure = cells[4].isEmpty ? "-" + cells[5] : cells[4]
                return ReadLeg(
                    day: "\(date[2])-\(date[0])-\(date[1])",
                    account: cells[3],
                    money: try money(figure, cells[2]),
                    about: try about(cells[6])
                )
            }
            let narration = cells[0].split(separator: ", ").map(String.init)
            let parts = cells[2].split(separator: "; ", maxSplits: 1, omittingEmptySubsequences: false)
            return ReadLeg(
                day: narration[1],
                account: "\(cells[3]) \(parts[0])",
                money: try money(cells[5], narration[2]),
                about: try about(String(parts[1]))
            )
        }
    }

    /// `Journal entry 7; event 0197...; merchant 8846`.
    private func about(_ description: String) throws -> [String: [UInt8]] {
        var about: [String: [UInt8]] = [:]
        for part in description.utf8.split(separator: UInt8(ascii: ";")) {
            let text = part.drop { $0 == 0x20 }
            if let title = "Journal entry ".utf8.first, text.first == title {
                about["position"] = Array(text.dropFirst("Journal entry ".utf8.count))
            } else {
                let name = text.prefix { $0 != 0x20 }
                about[String(decoding: name, as: UTF8.self)] = try unescaped(Array(text.dropFirst(name.count + 1)))
            }
        }
        return about
    }
}
