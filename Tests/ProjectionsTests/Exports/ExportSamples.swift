import Canonical
import DaybookTestKit
import Payments

@testable import Journal

/// Entries to write.
enum ExportSamples {
    /// One leg of an entry.
    static func leg(
        _ position: Int64,
        _ number: Int,
        _ account: Account,
        _ part: String? = nil,
        _ amount: Money,
        day: String = "2026-03-01",
        _ change: (inout PostedLeg) -> Void = { _ in }
    ) -> PostedLeg {
        var leg = PostedLeg(
            position: position,
            leg: number,
            account: account,
            part: part,
            amount: amount,
            day: day,
            event: Samples.id(Int(position))
        )
        change(&leg)
        return leg
    }

    static func entries(_ legs: [PostedLeg]) -> [ExportEntry] {
        var entries: [ExportEntry] = []
        for leg in legs {
            if entries.last?.includes(leg) == true {
                entries[entries.count - 1].add(leg)
            } else {
                entries.append(ExportEntry(leg))
            }
        }
        return entries
    }

    /// A sale with a tip, its correction on another day after its own was closed, a file with two currencies, and text
    /// with every delimiter.
    static var reviewed: [ExportEntry] {
        func about(_ number: Int, _ leg: inout PostedLeg) {
            (leg.transaction, leg.merchant, leg.terminal) = (Samples.id(100 + number), "8846", "tpn-1")
            leg.line = "capture:sale"
        }
        func late(_ number: Int, _ leg: inout PostedLeg) {
            about(number, &leg)
            leg.adjusts = "2026-03-01"
        }
        func usd(_ minor: Int64) -> Money { Money(minor, .usd) }
        let yen = Currency(alpha: "JPY") ?? .usd
        let dinar = Currency(alpha: "KWD") ?? .usd
        return entries([
            leg(7, 1, .processorReceivable, "dejavoo", usd(1340)) { about(1, &$0) },
            leg(7, 2, .tipsPayable, "ann", usd(-100)) { about(1, &$0) },
            leg(7, 3, .sales, "credit", usd(-1240)) { about(1, &$0) },
            leg(9, 1, .tipsPayable, "ann", usd(100), day: "2026-03-02") { late(1, &$0) },
            leg(9, 2, .tipsPayable, "Ann Müller", usd(-100), day: "2026-03-02") { late(1, &$0) },
            leg(12, 5, .bank, nil, Money(1234, dinar), day: "2026-02-28"),
            leg(12, 6, .cashInTransit, nil, Money(-1234, dinar), day: "2026-02-28"),
            leg(12, 1, .fees, "interchange", usd(5)) { $0.statementLine = Samples.id(201) },
            leg(12, 2, .processorReceivable, "adyen", usd(-5)) { $0.statementLine = Samples.id(201) },
            leg(12, 3, .processorReceivable, "adyen", Money(-1500, yen)) { $0.statementLine = Samples.id(202) },
            leg(12, 4, .currencyClearing, nil, Money(1500, yen)) { $0.statementLine = Samples.id(202) },
            leg(15, 1, .suspense, nil, usd(1)) { ($0.merchant, $0.terminal) = ("=1+1; \"a\", [b] \\ 50%", "\n") },
            leg(15, 2, .taxPayable, nil, usd(-1)) {
                ($0.merchant, $0.terminal) = ("=1+1; \"a\", [b] \\ 50%", " date:2020-13-45")
            },
        ])
    }

    private static let scalars: [Unicode.Scalar] = [
        "a", "Z", "7", "-", "_", " ", "\"", "'", "\\", ";", ",", ":", "[", "]", "%", "=", "+", "@", "|", "#", "*", "(",
        ")",
        "{", "}", "\n", "\r", "\t", "\u{0}", "\u{7F}", "\u{85}", "\u{A0}", "é", "e", "\u{301}", "ß", "日", "\u{200D}",
        "\u{202E}", "\u{2028}", "\u{FEFF}", "\u{1F468}",
    ]

    /// Any text, with many characters that have a meaning somewhere.
    static func text(_ random: inout SeededGenerator, atMost limit: Int = 12) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...limit, using: &random) {
            text.append(scalars[Int.random(in: 0..<scalars.count, using: &random)])
        }
        return String(text)
    }

    /// Entries in any currencies, about anything.
    static func entries(_ count: Int, _ random: inout SeededGenerator) -> [ExportEntry] {
        var legs: [PostedLeg] = []
        for position in 1...Int64(count) {
            for day in ["2026-02-28", "2026-03-01"].prefix(Int.random(in: 1...2, using: &random)) {
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let currency = Currency.all[Int.random(in: 0..<Currency.all.count, using: &random)]
                    let amount = Int64.random(in: -1_000_000_000_000...1_000_000_000_000, using: &random)
                    let shared = Bool.random(using: &random) ? text(&random) : nil
                    for amount in [amount, -amount] {
                        let account = Account.allCases[Int.random(in: 0..<Account.allCases.count, using: &random)]
                        let part = text(&random)
                        var leg = Self.leg(
                            position,
                            legs.count + 1,
                            account,
                            part.isEmpty ? nil : part,
                            Money(amount, currency)
                        )
                        leg.day = day
                        leg.adjusts = Bool.random(using: &random) ? "2026-02-27" : nil
                        leg.merchant = shared
                        leg.terminal = Bool.random(using: &random) ? text(&random) : nil
                        leg.line = Bool.random(using: &random) ? text(&random) : nil
                        leg.transaction = Bool.random(using: &random) ? Samples.id(legs.count) : nil
                        legs.append(leg)
                    }
                }
            }
        }
        return entries(legs)
    }

    /// A file in one format, whose series begins with it.
    static func file(_ format: ExportFormat, _ entries: [ExportEntry], in chart: Chart = .standard) -> String {
        let legs = entries.flatMap(\.legs)
        var declared = Declarations()
        var known: Set<String> = []
        for place in legs.map({ AccountPart($0.account, $0.part) })
        where known.insert(place.fullName(in: chart)).inserted {
            declared.accounts.append(place)
        }
        declared.currencies = Set(legs.map(\.amount.currency)).sorted { $0.alpha < $1.alpha }
        let range = ExportRange(since: 0, after: 0, through: entries.last?.position ?? 1)
        let text = format.text(chart)
        return text.beginning(range, declaring: declared) + entries.map { text.entry($0) }.joined()
    }
}
