/// Card numbers for tests: the vendors' published test cards, and random ones of every scheme.
enum CardNumbers {
    static let published = [
        "4111111111111111", "5499740000000057", "6011000991001201", "371449635392376", "4217651111111119",
        "5149612222222229",
    ]

    private static let issuers: [(prefixes: [String], lengths: [Int])] = [
        (["4"], [13, 16, 19]), (["51", "52", "53", "54", "55", "2221", "2720", "2500"], [16]), (["34", "37"], [15]),
        (["6011", "644", "649", "65"], [16, 19]), (["300", "305", "36", "38", "39"], [14, 16, 19]),
        (["3528", "3589"], [16, 19]), (["62", "81"], [16, 17, 18, 19]),
        (["50", "56", "58", "63", "67"], [13, 16, 19]),
        (["2200", "2204"], [16]),
    ]

    static func random(using generator: inout some RandomNumberGenerator) -> String {
        let issuer = issuers[Int.random(in: issuers.indices, using: &generator)]
        let length = issuer.lengths.randomElement(using: &generator) ?? 16
        var digits = (issuer.prefixes.randomElement(using: &generator) ?? "4").utf8.map { Int($0) - 48 }
        while digits.count < length - 1 { digits.append(Int.random(in: 0...9, using: &generator)) }
        return digits.map(String.init).joined() + String(checkDigit(after: digits))
    }

    /// The check digit, calculated with a table, so that it does not use the scrubber's own code.
    static func checkDigit(after digits: [Int]) -> Int {
        let doubled = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9]
        var sum = 0
        for (distance, digit) in digits.reversed().enumerated() { sum += distance % 2 == 0 ? doubled[digit] : digit }
        return (10 - sum % 10) % 10
    }

    static func isValid(_ digits: [Int]) -> Bool {
        guard let last = digits.last else { return false }
        return checkDigit(after: digits.dropLast()) == last
    }

    /// Every unbroken run of 13 to 19 digits in `text` that passes the check.
    static func validRuns(in text: String) -> [String] {
        var runs: [[Int]] = [[]]
        for scalar in text.unicodeScalars {
            if scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue {
                runs[runs.count - 1].append(Int(value))
            } else if !runs[runs.count - 1].isEmpty {
                runs.append([])
            }
        }
        return runs.filter { (13...19).contains($0.count) && isValid($0) }.map { $0.map(String.init).joined() }
    }
}
