import Canonical
import Payments
import Statements
import Testing

/// Any CSV, read with a mapping.
@Suite struct MappingTests {
    private func options(_ mapping: String) throws -> StatementOptions {
        StatementOptions(mapping: try CSVMapping(parsing: Array(mapping.utf8)))
    }

    @Test func aGermanBankWithSemicolonsAndCommas() throws {
        let mapping = """
            {"comment": "Hausbank", "side": "bank", "delimiter": ";", "decimal": ",", "grouping": ".", "dates": "dmy",
             "columns": {"booked_day": "Buchungstag", "value_day": "Valuta", "gross": "Betrag", "currency": "Währung",
                         "text": "Verwendungszweck", "balance": "Saldo", "counterparty": "Name"},
             "constants": {"account": "DE02120300000000202051"}}
            """
        let file = """
            Kontoauszug;;;;;;
            "Buchungstag";"Valuta";"Name";"Verwendungszweck";"Betrag";"Währung";"Saldo"
            20.01.2026;21.01.2026;"AMEX; Settlement";"Zahlung 020A0001";1.234,50;EUR;2.234,50
            21.01.2026;21.01.2026;Bank;Entgelt;-9,5;EUR;2.225,00

            """
        let reading = try Reading(.daybookCSV, file, options: try options(mapping))
        #expect(reading.lines.map(\.net) == [123_450, -950])
        #expect(reading.lines.map(\.type) == [.deposit, .withdrawal])
        #expect(reading.lines[0].side == .bank && reading.lines[0].line == 3)
        #expect(reading.lines[0].bookedDay?.description == "2026-01-20")
        #expect(reading.lines[0].day?.description == "2026-01-20")
        #expect(reading.lines[0].references[.counterparty] == "AMEX; Settlement")
        #expect(reading.lines[1].references[.account] == "DE02120300000000202051")
        #expect(reading.control("balances-that-follow")?.holds == true && reading.failing.isEmpty)
        #expect(reading.notes.map(\.code) == [.information])
    }

    @Test func anAcquirerWithoutSignsAndWithFeesAboveZero() throws {
        let mapping = """
            {"delimiter": "tab", "amounts": "minor", "sign": "by-type", "fees": "positive", "currency": "JPY",
             "dates": "mdy", "zone": "Asia/Tokyo",
             "types": {"01": "capture", "02": "refund", "99": "total", "--": "ignore"},
             "columns": {"type": "Code", "gross": "Amt", "fee_commission": "MDR", "day": "Date", "time": "Time",
                         "rrn": "Ret Ref", "last_four": "Card"}}
            """
        let file = """
            Code\tAmt\tMDR\tDate\tTime\tRet Ref\tCard
            01\t1200\t36\t1/20/2026\t9:30 PM\t400907500270\t411111******1111
            --\t\t\t\t\t\t
            02\t200\t\t1/21/2026\t\t400907500271\t
            99\t1000\t\t\t\t\t

            """
        let reading = try Reading(.daybookCSV, file, options: try options(mapping))
        #expect(reading.lines.map(\.gross) == [1200, -200])
        #expect(reading.lines.map(\.net) == [1164, -200])
        #expect(reading.lines[0].occurredAt == Timestamp(rfc3339: "2026-01-20T12:30:00Z"))
        #expect(reading.lines[0].references[.lastFour] == "1111")
        #expect(reading.control("total-gross")?.computed == 1000 && reading.failing.isEmpty)
    }

    @Test func signsInASeparateColumn() throws {
        let mapping = """
            {"sign": "by-column", "negative": ["S", "Soll"], "positive": ["H"], "side": "bank", "currency": "EUR",
             "columns": {"gross": "Amount", "sign": "D/C", "day": "Date"}}
            """
        let file = "Amount,D/C,Date\n5.00,S,2026-01-20\n6.00,h,2026-01-20\n"
        let reading = try Reading(.daybookCSV, file, options: try options(mapping))
        #expect(reading.lines.map(\.net) == [-500, 600])
        let wrong = try #require(try problem(.daybookCSV, file + "7.00,X,2026-01-20\n", options: try options(mapping)))
        #expect(wrong.code == .unknownCode && wrong.line == 4 && wrong.column == .named("D/C"))
    }

    @Test func columnsForDebitAndCredit() throws {
        let mapping = """
            {"currency": "USD", "type": "adjustment", "sign": "inverted",
             "columns": {"debit": "Charged", "credit": "Paid"}}
            """
        let reading = try Reading(.daybookCSV, "Paid|Charged\n|3.00\n1.00|\n", options: try options(mapping))
        #expect(reading.lines.map(\.net) == [300, -100])
        #expect(reading.lines.allSatisfy { $0.type == .adjustment })
    }

    @Test func aColumnThatTheFileDoesNotHave() throws {
        let mapping = #"{"currency":"USD","columns":{"gross":"Amount","rrn":"Retrieval"}}"#
        let found = try #require(try problem(.daybookCSV, "Amount,X\n1,2\n", options: try options(mapping)))
        #expect(found.code == .missingColumn && found.column == .named("Retrieval"))
    }

    @Test(
        arguments: [
            ("[]", "mapping"), ("{", nil), (#"{"delimiter":"ab"}"#, "delimiter"), (#"{"decimal":"5"}"#, "decimal"),
            (#"{"dates":"ydm"}"#, "dates"), (#"{"currency":"EURO"}"#, "currency"), (#"{"currency":"XAU"}"#, "currency"),
            (#"{"side":"both"}"#, "side"), (#"{"sign":"maybe"}"#, "sign"), (#"{"types":{"x":"sell"}}"#, "types.x"),
            (#"{"columns":{"colour":"x"}}"#, "columns.colour"), (#"{"columns":{"gross":"--"}}"#, "columns.gross"),
            (#"{"constants":{"x":"y"}}"#, "constants.x"), (#"{"negative":"S"}"#, "negative"),
            (#"{"unknown":1}"#, "unknown"),
            (#"{"sign":"by-column","negative":["S"]}"#, "sign"), (#"{"amounts":1}"#, "amounts"),
            (#"{"sign":"by-column","columns":{"sign":"s"}}"#, "negative"), (#"{"type":"sell"}"#, "type"),
        ] as [(String, String?)]
    )
    func invalidMappingsAreRefused(_ text: String, _ member: String?) throws {
        let error = #expect(throws: StatementProblem.self) { try CSVMapping(parsing: Array(text.utf8)) }
        #expect(error?.code == .badMapping && error?.column == member.map { .named($0) })
    }
}
