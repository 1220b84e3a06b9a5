import Canonical
import Payments

/// The fields of a record by their place; place 0 is the code itself.
struct BAI2Fields {
    let record: BAI2Record

    init(_ record: BAI2Record) {
        self.record = record
    }

    /// The number of fields, the code included.
    var count: Int { record.fields.count + 1 }

    subscript(place: Int, name: String) -> Field {
        let bytes = place >= 1 && place < count ? record.fields[place - 1] : []
        return Field(bytes, line: record.line, column: .named(name))
    }

    func misplaced(_ detail: String) -> StatementProblem {
        StatementProblem(.misplacedRecord, line: record.line, detail)
    }

    /// A signed number of minor units. Nil if the field is empty.
    func amount(_ place: Int, _ name: String) throws -> Int64? {
        let field = self[place, name]
        guard !field.isEmpty else { return nil }
        do {
            return try AmountText.amount(field.bytes, exponent: 0, .minor)
        } catch {
            let isLarge = error == .tooLarge
            throw field.problem(.badAmount, isLarge ? error.detail : "Digits are expected, with a sign perhaps.")
        }
    }

    /// The control total of a trailer.
    func total(_ place: Int) throws -> Int64 {
        guard let amount = try amount(place, "control total") else {
            throw self[place, "control total"].problem(.missingValue, "A control total is expected.")
        }
        return amount
    }

    /// Compares the count in a trailer with the computed one.
    func count(_ place: Int, _ name: String, _ scope: String, computed: Int64, _ sink: StatementSink) throws {
        let field = self[place, name]
        guard !field.isEmpty else { throw field.problem(.missingValue, "A count is expected.") }
        try sink(
            .control(
                StatementControl(
                    .count,
                    name,
                    scope: scope,
                    stated: try field.count(),
                    computed: computed,
                    line: record.line
                )
            )
        )
    }

    // MARK: Amounts with what belongs to them

    /// A status or summary in an account's header.
    struct Status {
        var code: Int
        var amount: Int64
        var items: Int64?
    }

    /// The statuses and summaries of a `03` record: code, amount, count and funds type, repeated.
    func statuses() throws -> [Status] {
        var statuses: [Status] = []
        var place = 3
        while place < count {
            let code = self[place, "type code"]
            if code.isEmpty {
                // Omitted statuses are left empty, in groups of four fields. At the end only empty fields may follow.
                guard (place..<count).contains(where: { !self[$0, ""].isEmpty }) else { break }
                place += 4
                continue
            }
            guard code.bytes.count == 3, let number = DateText.number(code.bytes) else {
                throw code.problem(.badNumber, "A type code of three digits is expected.")
            }
            let amount = try amount(place + 1, "amount")
            let items = self[place + 2, "item count"]
            var status = Status(code: number, amount: amount ?? 0)
            if !items.isEmpty { status.items = try items.count() }
            statuses.append(status)
            place += 3
            _ = try skipFunds(&place)
        }
        return statuses
    }

    /// Skips a funds type and its fields; returns the value day, if there is one.
    func skipFunds(_ place: inout Int) throws -> CivilDate? {
        let type = self[place, "funds type"]
        place += 1
        // Letters in upper case; digits unchanged.
        switch type.bytes.first.map({ $0 >= 0x61 ? $0 & ~0x20 : $0 }) {
        case UInt8(ascii: "S"):
            for offset in 0..<3 { _ = try amount(place + offset, "availability") }
            place += 3
        case UInt8(ascii: "V"):
            let day = self[place, "value date"]
            place += 2
            guard !day.isEmpty else { return nil }
            guard let value = DateText.shortDay(day.bytes) else {
                throw day.problem(.badDate, "A day as YYMMDD is expected.")
            }
            return value
        case UInt8(ascii: "D"):
            let number = self[place, "distributions"]
            guard let distributions = DateText.number(number.bytes), distributions <= 31 else {
                throw number.problem(.badNumber, "A number of distributions is expected.")
            }
            for offset in 0..<distributions { _ = try amount(place + 2 + offset * 2, "availability") }
            place += 1 + distributions * 2
        case nil, UInt8(ascii: "0"), UInt8(ascii: "1"), UInt8(ascii: "2"), UInt8(ascii: "Z"): break
        default: throw type.problem(.unknownCode, "A funds type is expected: 0, 1, 2, S, V, D or Z.")
        }
        return nil
    }
}

/// A `16` record: one transaction.
struct BAI2Detail {
    let code: Int
    let rawCode: String
    let amount: Int64
    let valueDay: CivilDate?
    let bankReference: String?
    let customerReference: String?
    let text: String?

    init(_ fields: BAI2Fields) throws {
        let type = fields[1, "type code"]
        guard type.bytes.count == 3, let number = DateText.number(type.bytes), let raw = type.id else {
            throw type.problem(.badNumber, "A type code of three digits is expected.")
        }
        (code, rawCode) = (number, raw)
        let stated = try fields.amount(2, "amount")
        if stated == nil, BAI2Codes.sense(number) != .nonMonetary {
            throw fields[2, "amount"].problem(.missingValue, "An amount is expected.")
        }
        amount = stated ?? 0
        var place = 3
        valueDay = try fields.skipFunds(&place)
        bankReference = fields[place, "bank reference"].id
        customerReference = fields[place + 1, "customer reference"].text
        let rest = fields.record.fields.dropFirst(place + 1)
        let joined = Array(rest.joined(separator: [UInt8(ascii: ",")]))
        text = Field(joined[...], line: fields.record.line, column: .named("text")).text
    }
}
