import Canonical
import DaybookTestKit
import Payments
import Testing

@Suite("Reading and printing figures")
struct MoneyFigureTests {
    private static func currency(_ alpha: String) -> Currency? { Currency(alpha: alpha) }

    /// The result of reading: minor units, or the error's code.
    private func outcome(_ read: () throws(MoneyError) -> Money) -> String {
        do throws(MoneyError) {
            return String(try read().value)
        } catch {
            return error.code.rawValue
        }
    }

    @Test(
        "Decimal figures",
        arguments: [
            ("9.50", "USD", "950"), ("9.5", "USD", "950"), ("8", "USD", "800"), ("0", "USD", "0"), ("0.00", "USD", "0"),
            ("0.01", "USD", "1"),
            ("007.50", "USD", "750"), ("00", "USD", "0"), ("9.500", "USD", "950"),
            ("9.50000000000000000000000", "USD", "950"),
            ("9.505", "USD", "too-precise"), ("0.001", "USD", "too-precise"), ("9.5000000001", "USD", "too-precise"),
            ("8", "JPY", "8"), ("8.0", "JPY", "8"), ("8.1", "JPY", "too-precise"), ("1.234", "KWD", "1234"),
            ("1.2", "KWD", "1200"),
            ("1.2345", "CLF", "12345"), ("1", "CLF", "10000"), ("1", "XAU", "no-minor-unit"),
            ("1.00", "XXX", "no-minor-unit"),
            ("92233720368547758.07", "USD", "9223372036854775807"), ("92233720368547758.08", "USD", "overflow"),
            ("9223372036854775807", "JPY", "9223372036854775807"), ("9223372036854775808", "JPY", "overflow"),
            ("922337203685477580700", "JPY", "overflow"), ("99999999999999999999999999999999", "USD", "overflow"),
            ("00000000000000000000000000009.50", "USD", "950"),
            ("000000000000000000000000000009.50", "USD", "too-long"),
            ("", "USD", "malformed"), (" ", "USD", "malformed"), (" 1", "USD", "malformed"), ("1 ", "USD", "malformed"),
            ("1\n", "USD", "malformed"),
            (".", "USD", "malformed"), (".5", "USD", "malformed"), ("1.", "USD", "malformed"),
            ("1..5", "USD", "malformed"),
            ("1.5.0", "USD", "malformed"), ("1,50", "USD", "malformed"), ("1,234.50", "USD", "malformed"),
            ("1_000", "USD", "malformed"),
            ("1e3", "USD", "malformed"), ("1E3", "USD", "malformed"), ("0x10", "USD", "malformed"),
            ("NaN", "USD", "malformed"),
            ("$5.50", "USD", "malformed"), ("$8.F00", "USD", "malformed"), ("8.F00", "USD", "malformed"),
            ("5.50 USD", "USD", "malformed"),
            ("+1", "USD", "malformed"), ("--1", "USD", "malformed"), ("1-", "USD", "malformed"),
            ("(1)", "USD", "malformed"),
            ("-1.25", "USD", "negative"), ("-0", "USD", "negative"), ("-", "USD", "malformed"),
            ("-x", "USD", "malformed"),
            ("١", "USD", "malformed"), ("１", "USD", "malformed"), ("1.5\0", "USD", "malformed"),
            ("−1", "USD", "malformed"),
            ("9.505x", "USD", "malformed"), ("99999999999999999999999999x", "USD", "malformed"),
        ]
    )
    func decimal(text: String, code: String, expected: String) throws {
        let currency = try #require(Self.currency(code))
        #expect(outcome { () throws(MoneyError) in try Money.parse(decimal: text, currency: currency) } == expected)
    }

    @Test(
        "Signs, where they are allowed",
        arguments: [
            ("-1.25", .negative, "-125"), ("-0.00", .negative, "0"), ("1.25", .negative, "125"),
            ("--1", .negative, "malformed"),
            ("-92233720368547758.08", .negative, "-9223372036854775808"),
            ("-92233720368547758.09", .negative, "overflow"),
            ("92233720368547758.08", .negative, "overflow"), ("-$1", .negative, "malformed"),
            ("- 1", .negative, "malformed"),
            ("$5.50", .dollarSign, "550"), ("5.50", .dollarSign, "550"), ("$0.00", .dollarSign, "0"),
            ("$8.F00", .dollarSign, "malformed"),
            ("$", .dollarSign, "malformed"), ("$$5", .dollarSign, "malformed"), ("5$", .dollarSign, "malformed"),
            ("$.5", .dollarSign, "malformed"),
            ("$ 5", .dollarSign, "malformed"), ("€5", .dollarSign, "malformed"), ("-$5", .dollarSign, "negative"),
            ("$-5", .dollarSign, "malformed"),
            ("-$5.50", [.negative, .dollarSign], "-550"), ("$-5.50", [.negative, .dollarSign], "malformed"),
            ("-5", [.negative, .dollarSign], "-500"),
        ] as [(String, Money.FigureOptions, String)]
    )
    func signs(text: String, options: Money.FigureOptions, expected: String) {
        #expect(
            outcome { () throws(MoneyError) in try Money.parse(decimal: text, currency: .usd, allowing: options) }
                == expected
        )
    }

    @Test(
        "Figures with implied decimals",
        arguments: [
            ("2000", 2, "USD", "2000"), ("2000", 0, "USD", "200000"), ("2000", 3, "USD", "200"),
            ("2005", 3, "USD", "too-precise"),
            ("2000", 2, "JPY", "20"), ("2001", 2, "JPY", "too-precise"), ("20", 2, "KWD", "200"),
            ("000000012345", 2, "USD", "12345"),
            ("5", 3, "USD", "too-precise"), ("0", 9, "USD", "0"), ("0", 10, "USD", "invalid-exponent"),
            ("0", -1, "USD", "invalid-exponent"),
            ("9223372036854775807", 2, "USD", "9223372036854775807"), ("9223372036854775808", 2, "USD", "overflow"),
            ("92233720368547758070", 3, "USD", "9223372036854775807"), ("9223372036854775807", 0, "USD", "overflow"),
            ("20.00", 2, "USD", "malformed"), ("", 2, "USD", "malformed"), ("-5", 2, "USD", "negative"),
            ("2e3", 2, "USD", "malformed"),
            ("5", 2, "XAU", "no-minor-unit"),
        ]
    )
    func implied(text: String, exponent: Int, code: String, expected: String) throws {
        let currency = try #require(Self.currency(code))
        #expect(
            outcome { () throws(MoneyError) in try Money.parse(implied: text, exponent: exponent, currency: currency) }
                == expected
        )
    }

    @Test("Counts of minor units")
    func minor() throws {
        #expect(try Money.parse(minor: "1340", currency: .usd) == Money(1340, .usd))
        #expect(try Money.parse(minor: "1340", currency: .jpy) == Money(1340, .jpy))
        #expect(try Money.parse(minor: "-1", currency: .usd, allowing: .negative) == Money(-1, .usd))
        #expect(try Money.parse(implied: -2000, exponent: 2, currency: .jpy, allowing: .negative) == Money(-20, .jpy))
        #expect(try Money.parse(implied: .min, exponent: 2, currency: .usd, allowing: .negative) == Money(.min, .usd))
        #expect(throws: MoneyError(.negative)) { try Money.parse(implied: -1, exponent: 2, currency: .usd) }
        #expect(throws: MoneyError(.malformed)) { try Money.parse(minor: "13.40", currency: .usd) }
        #expect(throws: MoneyError(.noMinorUnit)) {
            try Money.parse(minor: "1", currency: #require(Self.currency("XAU")))
        }
    }

    @Test(
        "Printed for people",
        arguments: [
            (1340, "USD", "13.40 USD"), (0, "USD", "0.00 USD"), (5, "USD", "0.05 USD"), (-5, "USD", "-0.05 USD"),
            (100, "USD", "1.00 USD"),
            (-1340, "USD", "-13.40 USD"), (1234, "JPY", "1234 JPY"), (0, "JPY", "0 JPY"), (1234, "KWD", "1.234 KWD"),
            (1, "KWD", "0.001 KWD"),
            (1, "CLF", "0.0001 CLF"), (12_345, "CLF", "1.2345 CLF"), (-7, "XAU", "-7 XAU"),
            (.max, "USD", "92233720368547758.07 USD"), (.min, "USD", "-92233720368547758.08 USD"),
            (.min, "JPY", "-9223372036854775808 JPY"),
            (.min, "CLF", "-922337203685477.5808 CLF"),
        ] as [(Int64, String, String)]
    )
    func printed(value: Int64, code: String, expected: String) throws {
        #expect(Money(value, try #require(Self.currency(code))).description == expected)
    }

    @Test("A printed amount reads as the same amount, in every currency", arguments: [1, 2] as [UInt64])
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for currency in Currency.all {
            guard let exponent = currency.exponent else { continue }
            var values: [Int64] = [.min, .min + 1, -1, 0, 1, .max]
            for _ in 0..<10 {
                values.append(.random(in: .min ... .max, using: &random) >> Int64.random(in: 0...62, using: &random))
            }
            for value in values {
                let money = Money(value, currency)
                #expect(try Money.parse(decimal: money.decimalText, currency: currency, allowing: .negative) == money)
                #expect(try Money.parse(minor: String(value), currency: currency, allowing: .negative) == money)
                #expect(
                    try Money.parse(
                        implied: "\(value)0",
                        exponent: exponent + 1,
                        currency: currency,
                        allowing: .negative
                    ) == money
                )
            }
        }
    }

    @Test("Random text gives an amount or an error", arguments: [1, 2] as [UInt64])
    func randomText(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("0123456789.-$ e+,F".unicodeScalars)
        for _ in 0..<2000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...36, using: &random) {
                text.append(alphabet.randomElement(using: &random) ?? "0")
            }
            let currency = Currency.all.randomElement(using: &random) ?? .usd
            guard
                let money = try? Money.parse(
                    decimal: String(text),
                    currency: currency,
                    allowing: [.negative, .dollarSign]
                )
            else { continue }
            #expect(try Money.parse(decimal: money.decimalText, currency: currency, allowing: .negative) == money)
        }
    }
}

@Suite("Amounts with their figures")
struct MoneyAmountFigureTests {
    @Test("The figure is kept as written, with the exponent used")
    func reading() throws {
        let decimal = try AmountFigure.decimal("$09.5", currency: .usd, allowing: .dollarSign)
        #expect(decimal.raw == "$09.5" && decimal.exponent == 2 && decimal.money == Money(950, .usd))
        let implied = try AmountFigure.implied("2000", exponent: 2, currency: .jpy)
        #expect(implied.raw == "2000" && implied.exponent == 2 && implied.money == Money(20, .jpy))
        #expect(throws: MoneyError(.malformed)) {
            try AmountFigure.decimal("$8.F00", currency: .usd, allowing: .dollarSign)
        }
        #expect(throws: MoneyError(.tooPrecise)) { try AmountFigure.implied("2001", exponent: 2, currency: .jpy) }
    }

    @Test("Printable", arguments: ["0", "$8.F00", "€ 5,50", "1 234", "٣", "￥5", String(repeating: "9", count: 64)])
    func printable(_ raw: String) {
        #expect(AmountFigure.isPrintable(raw))
        #expect(AmountFigure(raw: raw, exponent: 2, money: .zero(.usd))?.raw == raw)
    }

    @Test(
        "Not printable",
        arguments: [
            "", "1\n", "\0", "\u{1B}[2J", "\u{7F}", "\u{85}", "1\u{202E}2", "\u{200B}", "\u{2028}", "\u{E000}",
            "\u{FFFF}",
            String(repeating: "9", count: 65), String(repeating: "€", count: 22),
        ]
    )
    func notPrintable(_ raw: String) {
        #expect(!AmountFigure.isPrintable(raw))
        #expect(AmountFigure(raw: raw, exponent: 2, money: .zero(.usd)) == nil)
    }

    @Test("An amount's figure is stored with all three members and checked when read")
    func codable() throws {
        let figure = try AmountFigure.decimal("13.4", currency: .usd)
        let json = try JSONValueEncoder().encode(figure)
        #expect(json.text == #"{"raw":"13.4","exponent":2,"money":{"value":1340,"currency":"USD"}}"#)
        #expect(try JSONValueDecoder().decode(AmountFigure.self, from: json) == figure)
        for (key, value) in [("raw", ""), ("raw", "\n"), ("exponent", -1), ("exponent", 10)] as [(String, JSONValue)] {
            var damaged = try #require(json.object)
            damaged[key] = value
            #expect(throws: DecodingError.self) {
                try JSONValueDecoder().decode(AmountFigure.self, from: .object(damaged))
            }
        }
    }
}
