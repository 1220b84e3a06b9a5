import Canonical
import Foundation
import Payments
import Testing

@Suite("Currencies")
struct MoneyCurrencyTests {
    /// One line per currency, in the form of the facts file: code, three digits, two exponents, `-` for none.
    private static var lines: [String] {
        Currency.all.map { currency in
            let exponents = [currency.exponent, currency.handpointSDKExponent].map { $0.map(String.init) ?? "-" }
            return ([currency.alpha, currency.numericText] + exponents).joined(separator: ",")
        }
    }

    @Test("The table is the one that was compared with the facts file")
    func tableDigest() {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325  // FNV-1a
        for byte in Self.lines.flatMap({ Array("\($0)\n".utf8) }) {
            digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        #expect(Self.lines.count == 178)
        #expect(digest == 0xDD55_CBE3_4675_B3CE)
    }

    private static let facts = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../shared/facts/iso4217.csv").standardizedFileURL

    /// Without the facts file, the digest above covers the table.
    @Test("The table equals the facts file", .enabled(if: FileManager.default.fileExists(atPath: facts.path)))
    func tableEqualsFacts() throws {
        let rows = try String(contentsOf: Self.facts, encoding: .utf8).split(whereSeparator: \.isNewline).dropFirst()
        let expected = rows.map { row in
            row.split(separator: ",", omittingEmptySubsequences: false).prefix(4)
                .map { $0.isEmpty ? "-" : String($0) }.joined(separator: ",")
        }
        #expect(Self.lines == expected)
    }

    @Test("Codes and numbers are unique, and every currency is found by each of them")
    func lookup() {
        #expect(Set(Currency.all.map(\.alpha)).count == Currency.all.count)
        #expect(Set(Currency.all.map(\.numeric)).count == Currency.all.count)
        #expect(Currency.all == Currency.all.sorted { $0.alpha < $1.alpha })
        for currency in Currency.all {
            #expect(Currency(alpha: currency.alpha) == currency)
            #expect(Currency(alphaIgnoringCase: currency.alpha.lowercased()) == currency)
            #expect(Currency(numeric: currency.numeric) == currency)
            #expect(Currency(numericText: currency.numericText) == currency)
        }
    }

    @Test("Known currencies")
    func known() {
        #expect([Currency.usd, .eur, .gbp, .jpy].map(\.alpha) == ["USD", "EUR", "GBP", "JPY"])
        #expect(Currency(alpha: "KWD")?.exponent == 3)
        #expect(Currency(alpha: "CLF")?.exponent == 4)
        #expect(Currency(alpha: "XAU").map { $0.exponent == nil } == true)
        #expect(Currency(numericText: "008")?.alpha == "ALL")
        #expect(Currency(alpha: "AMD")?.handpointSDKExponent == 0)
        #expect(Currency(alpha: "ZWG").map { $0.handpointSDKExponent == nil } == true)
    }

    @Test("Other spellings are no code", arguments: ["", "usd", "US", "USDX", " USD", "ÜSD", "QQQ", "UＳD"])
    func unknownAlpha(_ text: String) {
        #expect(Currency(alpha: text) == nil)
    }

    @Test("Lenient lookup only ignores case", arguments: ["", "us", "usdx", "qqq", "uſd", " usd"])
    func unknownLenient(_ text: String) {
        #expect(Currency(alphaIgnoringCase: text) == nil)
    }

    @Test("Numeric text has three digits", arguments: ["", "8", "08", "0840", "84O", "+84", "-84", "٨٤٠", "000"])
    func unknownNumericText(_ text: String) {
        #expect(Currency(numericText: text) == nil)
    }

    @Test("Unassigned numbers are not a currency's number", arguments: [0, -1, 1, 840_000, .max, .min])
    func unknownNumeric(_ number: Int) {
        #expect(Currency(numeric: number) == nil)
    }

    @Test("A currency is stored as its code")
    func codable() throws {
        #expect(try JSONValueEncoder().encode(Currency.usd).text == "\"USD\"")
        #expect(try JSONValueDecoder().decode(Currency.self, from: "JPY") == .jpy)
        #expect(throws: DecodingError.self) { try JSONValueDecoder().decode(Currency.self, from: "jpy") }
    }
}
