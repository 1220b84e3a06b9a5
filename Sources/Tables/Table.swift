package import Canonical
import Payments

/// One column of a table: its name, and the path of its value in an item's JSON.
package struct Column: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// Text, a flag or a whole number, unchanged.
        case plain
        /// Money in minor units.
        case minor
        /// The same money in whole units, with the decimals of its currency.
        case decimal
        /// The currency of the first amount that is present.
        case currency([[String]])
        /// The number of members of a list.
        case count
        /// A member of each object of a list, separated by blanks.
        case each(String)
        /// The value as JSON.
        case json
    }

    package var name: String
    package var path: [String]
    package var kind: Kind

    package init(_ name: String, _ path: String..., as kind: Kind = .plain) {
        self.name = name
        self.path = path
        self.kind = kind
    }

    /// Both columns of an amount: `amount` and `amount_decimal`.
    package static func money(_ name: String, _ path: String...) -> [Column] {
        var columns = [Column(name, as: .minor), Column("\(name)_decimal", as: .decimal)]
        for index in columns.indices { columns[index].path = path }
        return columns
    }

    /// The value of this column for an item.
    package func cell(of item: JSONValue) -> Cell {
        if case .currency(let places) = kind {
            return places.lazy.compactMap { item.at($0)?["currency"]?.string }.first.map(Cell.text) ?? .absent
        }
        guard let value = item.at(path), !value.isNull else { return .absent }
        switch kind {
        case .plain:
            if let text = value.string { return .text(text) }
            if let flag = value.bool { return .text(flag ? "true" : "false") }
            if let number = value.int64 { return .number(String(number)) }
            return .text(value.text)
        case .minor: return value["value"]?.int64.map { Cell.number(String($0)) } ?? .absent
        case .decimal:
            guard let minor = value["value"]?.int64,
                let currency = value["currency"]?.string.flatMap({ Currency(alpha: $0) })
            else { return .absent }
            return .number(Money(minor, currency).decimalText)
        case .count: return .number(String(value.array?.count ?? 0))
        case .each(let member):
            let texts = (value.array ?? []).compactMap { $0[member]?.string }
            return texts.isEmpty ? .absent : .text(texts.joined(separator: " "))
        case .json: return .text(value.text)
        case .currency: return .absent
        }
    }
}

/// The columns of a list as a table.
package struct Table: Sendable, Hashable {
    package var name: String
    package var columns: [Column]

    package init(name: String, columns: [Column]) {
        self.name = name
        self.columns = columns
    }

    /// The table with only these columns, in this order.
    ///
    /// - Parameter names: Separated by commas.
    /// - Returns: Nil if a name is not a column, or occurs twice.
    package func choosing(_ names: String) -> Table? {
        let wanted = names.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard Set(wanted).count == wanted.count else { return nil }
        let chosen = wanted.compactMap { name in columns.first { $0.name == name } }
        return chosen.count == wanted.count ? Table(name: name, columns: chosen) : nil
    }

    /// The names of the columns, as a row.
    package var head: [Cell] { columns.map { .text($0.name) } }

    package func row(of item: JSONValue) -> [Cell] { columns.map { $0.cell(of: item) } }
}

extension JSONValue {
    fileprivate func at(_ path: [String]) -> JSONValue? {
        path.reduce(self as JSONValue?) { value, name in value?[name] }
    }
}
