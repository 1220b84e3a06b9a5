import Canonical
import DaybookTestKit
import Payments
import Testing

@Suite("Calculating with money")
struct MoneyArithmeticTests {
    private static let edges: [Int64] = [.min, .min + 1, -10_001, -10_000, -1, 0, 1, 9_999, 10_000, .max - 1, .max]

    @Test("Sums and differences are exact, or an overflow", arguments: edges, edges)
    func sums(left: Int64, right: Int64) {
        let (a, b) = (Money(left, .usd), Money(right, .usd))
        func check(_ expected: Int128, _ compute: () throws(MoneyError) -> Money) {
            do throws(MoneyError) {
                #expect(Int128(try compute().value) == expected)
            } catch {
                #expect(error.code == .overflow)
                #expect(Int64(exactly: expected) == nil)
            }
        }
        check(Int128(left) + Int128(right)) { () throws(MoneyError) in try a.adding(b) }
        check(Int128(left) - Int128(right)) { () throws(MoneyError) in try a.subtracting(b) }
        check(Int128(left) * Int128(right)) { () throws(MoneyError) in try a.multiplied(by: right) }
        check(-Int128(left)) { () throws(MoneyError) in try a.negated() }
        check(Int128(left.magnitude)) { () throws(MoneyError) in try a.magnitude() }
        check(Int128(left) + Int128(right) + Int128(left)) { () throws(MoneyError) in
            try Money.sum([a, b, a], in: .usd)
        }
    }

    @Test("A sum is exact even if a partial sum overflows")
    func sumInAnyOrder() throws {
        let amounts = [Int64.max, Int64.max, Int64.min, Int64.min, 5].map { Money($0, .jpy) }
        #expect(try Money.sum(amounts, in: .jpy) == Money(3, .jpy))
        #expect(try Money.sum([], in: .jpy) == .zero(.jpy))
    }

    @Test("Currencies are never mixed")
    func mismatch() {
        let mismatch = MoneyError(.currencyMismatch)
        #expect(throws: mismatch) { try Money(1, .usd).adding(Money(1, .eur)) }
        #expect(throws: mismatch) { try Money(1, .usd).subtracting(Money(0, .eur)) }
        #expect(throws: mismatch) { try Money.sum([Money(1, .usd), Money(1, .eur)], in: .usd) }
        #expect(Money(1, .usd) != Money(1, .eur))
    }

    private static let rounded: [(Int64, Int64, Money.Rounding, Int64?)] = [
        (25, 1_000, .down, 2), (25, 1_000, .up, 3), (25, 1_000, .towardZero, 2), (25, 1_000, .awayFromZero, 3),
        (25, 1_000, .halfAwayFromZero, 3), (25, 1_000, .halfToEven, 2), (35, 1_000, .halfToEven, 4),
        (-25, 1_000, .down, -3), (-25, 1_000, .up, -2), (-25, 1_000, .towardZero, -2), (-25, 1_000, .awayFromZero, -3),
        (-25, 1_000, .halfAwayFromZero, -3), (-25, 1_000, .halfToEven, -2), (-35, 1_000, .halfToEven, -4),
        (25, -1_000, .down, -3), (-25, -1_000, .up, 3), (24, 1_000, .halfAwayFromZero, 2), (26, 1_000, .halfToEven, 3),
        (20, 1_000, .up, 2), (20, 1_000, .awayFromZero, 2), (-20, 1_000, .down, -2),
        (0, 10_000, .up, 0), (1_340, 12_500, .down, 1_675), (.max, 10_000, .up, .max), (.min, 10_000, .down, .min),
        (.max, 1, .down, 922_337_203_685_477), (.min, -1, .up, 922_337_203_685_478),
        (1, .max, .down, 922_337_203_685_477),
        (.min, .min, .down, nil), (.min, -10_000, .down, nil), (.max, 10_001, .down, nil), (.max, .max, .up, nil),
    ]

    @Test("Shares by basis points", arguments: rounded)
    func share(value: Int64, points: Int64, rounding: Money.Rounding, expected: Int64?) throws {
        let money = Money(value, .usd)
        if let expected {
            #expect(try money.scaled(byBasisPoints: points, rounding: rounding) == Money(expected, .usd))
        } else {
            #expect(throws: MoneyError(.overflow)) { try money.scaled(byBasisPoints: points, rounding: rounding) }
        }
    }

    @Test("Shares are as close as the rounding promises", arguments: [1, 2, 3] as [UInt64])
    func shareProperties(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let shift = Int64.random(in: 0...62, using: &random)
            let value = Int64.random(in: .min ... .max, using: &random) >> shift
            let points = Int64.random(in: -30_000...30_000, using: &random)
            let product = Int128(value) * Int128(points)
            for rounding in Money.Rounding.allCases {
                do throws(MoneyError) {
                    let result = try Money(value, .usd).scaled(byBasisPoints: points, rounding: rounding).value
                    let error = Int128(result) * 10_000 - product
                    let isRight =
                        switch rounding {
                        case .down: -9_999...0 ~= error
                        case .up: 0...9_999 ~= error
                        case .towardZero: product < 0 ? 0...9_999 ~= error : -9_999...0 ~= error
                        case .awayFromZero: product < 0 ? -9_999...0 ~= error : 0...9_999 ~= error
                        case .halfAwayFromZero:
                            -5_000...5_000 ~= error && (error.magnitude < 5_000 || (error < 0) == (product < 0))
                        case .halfToEven:
                            -5_000...5_000 ~= error && (error.magnitude < 5_000 || result.isMultiple(of: 2))
                        }
                    #expect(isRight, "\(value) \(points) \(rounding)")
                } catch {
                    #expect(
                        error.code == .overflow && product.magnitude / 10_000 >= UInt128(Int64.max),
                        "\(value) \(points)"
                    )
                }
            }
        }
    }

    @Test("Money is stored as minor units and currency code")
    func codable() throws {
        let money = Money(value: 1340, currency: .usd)
        #expect(try JSONValueEncoder().encode(money).text == #"{"value":1340,"currency":"USD"}"#)
        #expect(try JSONValueDecoder().decode(Money.self, from: ["currency": "USD", "value": 1340]) == money)
        let refused: [JSONValue] = [
            ["value": 1340], ["currency": "USD"], ["value": "1340", "currency": "USD"],
            ["value": 1340, "currency": "usd"],
            .object(["value": .number(try #require(JSONNumber(literal: "13.40"))), "currency": "USD"]),
            ["value": .null, "currency": "USD"], [1340, "USD"],
        ]
        for json in refused {
            #expect(throws: DecodingError.self) { try JSONValueDecoder().decode(Money.self, from: json) }
        }
    }

    @Test("Errors have stable names")
    func errors() {
        #expect(
            MoneyError.Code.allCases.map(\.rawValue) == [
                "overflow", "currency-mismatch", "malformed", "too-long", "too-precise", "negative", "unknown-currency",
                "no-minor-unit", "invalid-exponent",
            ]
        )
        #expect(MoneyError(.tooPrecise).description == "too-precise")
    }
}
