import Canonical
import Payments
import ReplayRules
import Testing

/// The ruling for every answer of ISO 8583 field 39, two days after a sale was declined with it.
@Suite struct AnswerCodeTests {
    /// Codes by the disposition of a sale with any scheme except Visa.
    private static let dispositions: [(Disposition.Name, String)] = [
        (.resubmit, "05 19 51 59 61 65 81 86 88 91 96 Z3"),
        (.never, "04 07 12 15 17 33 34 35 36 38 41 43 46 57 62 78 93 R0 R1 R3 Z1"),
        // In doubt: the gateway is queried first.
        (.waitUntil, "06 09 25 28 68"),
        // An approval code in a recorded decline is a contradiction.
        (.needsPerson, "00 08 10 11 32 85 87 Y1 Y3"),
        (
            .needsPerson,
            "01 02 03 13 14 21 26 30 39 40 52 53 54 55 58 63 64 70 75 76 77 79 80 82 84 92 94 95 1A N3 N4 N7 Q1 P5 P6"
        ),
    ]

    /// Visa's decline categories; the stricter one if the sources disagree.
    private static let categories: [(Int64, String)] = [
        (1, "03 04 07 12 14 15 41 43 46 57 62 78 93 R0 R1 R3"),
        (2, "19 51 59 61 65 75 86 91 96 N3 N4"),
        (3, "54 55 63 82 1A N7"),
        (4, "05"),
    ]

    private static func split(_ codes: String) -> [String] { codes.split(separator: " ").map(String.init) }

    private static let byCode: [(String, Disposition.Name)] = dispositions.flatMap { name, codes in
        split(codes).map { ($0, name) }
    }

    @Test func everyAnswerHasARule() throws {
        let book = try standardBook()
        let known = Set(book.rules.filter { $0.record.space == "iso" }.compactMap(\.record.code))
        #expect(known == Set(Self.byCode.map(\.0)) && Self.byCode.count == 82)
    }

    @Test(arguments: byCode) func afterTwoDays(code: String, expected: Disposition.Name) throws {
        let ruling = classify(declinedSale(answer: code), at: sentAt.after(2 * day), book: try standardBook())
        #expect(ruling.disposition.name == expected, "\(code): \(ruling)")
        if expected == .resubmit || expected == .never {
            #expect(ruling.rule == "iso.\(code)" && ruling.evidence == [2])
        }
    }

    /// Visa's category 1 is final and category 3 needs other data, whatever other schemes allow.
    @Test(arguments: byCode) func forVisa(code: String, others: Disposition.Name) throws {
        let category = Self.categories.first { Self.split($0.1).contains(code) }?.0
        let expected: Disposition.Name =
            switch category {
            case 1: .never
            case 3 where others != .never: .needsPerson
            default: others
            }
        let evidence = declinedSale(answer: code, scheme: .visa)
        let ruling = classify(evidence, at: sentAt.after(2 * day), book: try standardBook())
        #expect(ruling.disposition.name == expected, "\(code): \(ruling)")
    }

    @Test func visasCategories() throws {
        let book = try standardBook()
        for (category, codes) in Self.categories {
            for code in Self.split(codes) {
                #expect(book.rule("visa", code)?.value == .category(category), "\(code)")
            }
        }
        #expect(book.rules.count { $0.record.space == "visa" } == 34)
        #expect(book.rule("visa", "14")?.record.others?.map(\.value) == ["3"])
        #expect(book.rule("visa", "62")?.record.others?.map(\.value) == ["2"])
    }

    /// Nothing is resubmitted immediately, whatever the answer.
    @Test(arguments: byCode) func declinesAreNotResubmittedImmediately(code: String, later: Disposition.Name) throws {
        let ruling = classify(declinedSale(answer: code), at: sentAt.after(10), book: try standardBook())
        #expect(ruling.disposition != .resubmit)
        if later == .resubmit, let until = ruling.disposition.until {
            let isLater = ["51", "61", "65"].contains(code)
            #expect(until == sentAt.after(1 + (isLater ? day : 3600)), "\(code)")
        } else {
            #expect(ruling.disposition.name == later)
        }
    }

    /// An error that allows one resubmission after a query has proven that nothing was posted.
    @Test(arguments: [("06", 1, Disposition.Name.resubmit), ("06", 2, .needsPerson), ("28", 2, .resubmit)])
    func afterAnEnquiry(code: String, attempts: Int, expected: Disposition.Name) throws {
        var evidence = declinedSale(answer: code, status: .notPosted)
        if attempts == 2 {
            evidence.attempts.append(AttemptEvidence(position: 0, at: sentAt.after(-day), operation: .sale))
        }
        evidence.resolutions = [
            ResolutionEvidence(position: 9, at: sentAt.after(100), outcome: .notPosted, means: .find)
        ]
        let ruling = classify(evidence, at: sentAt.after(200), book: try standardBook())
        #expect(ruling.disposition.name == expected, "\(ruling)")
    }

    @Test func anUnknownCodeNeedsReview() throws {
        let book = try standardBook()
        for evidence in [
            declinedSale(answer: "ZZ"), declinedSale(), declinedSale(answer: "05", advice: "99"),
            declinedSale(codes: [AnswerCode("bridgepay.message", "D99")]),
            declinedSale(answer: "05", codes: [AnswerCode("bridgepay.message", "D99")]),
        ] {
            let ruling = classify(evidence, at: sentAt.after(40 * day), book: book)
            #expect(ruling.disposition == .needsPerson && ruling.rule == "default", "\(ruling)")
        }
    }
}

/// Mastercard's merchant advice codes, beside a decline that allows a resubmission after an hour.
@Suite struct AdviceCodeTests {
    private enum Advice {
        case never, fix, again(Int64)
    }

    private static let codes: [(String, Advice)] = [
        ("01", .fix), ("02", .again(72 * 3600)), ("03", .never), ("04", .fix), ("05", .fix), ("21", .never),
        ("22", .never), ("24", .again(3600)), ("25", .again(24 * 3600)), ("26", .again(2 * day)),
        ("27", .again(4 * day)), ("28", .again(6 * day)), ("29", .again(8 * day)), ("30", .again(10 * day)),
        ("40", .again(3600)), ("41", .again(3600)), ("42", .never), ("43", .again(3600)),
    ]

    @Test func everyAdviceCode() throws {
        let book = try standardBook()
        #expect(book.rules.count { $0.record.space == "mastercard.advice" } == Self.codes.count)
        for (code, advice) in Self.codes {
            let evidence = declinedSale(answer: "05", advice: code, scheme: .mastercard)
            let now = classify(evidence, at: sentAt.after(2), book: book)
            let later = classify(evidence, at: sentAt.after(11 * day), book: book)
            switch advice {
            case .never: #expect(now.disposition == .never && now.rule == "mastercard.advice.\(code)")
            case .fix: #expect(now.disposition == .needsPerson && now.rule == "mastercard.advice.\(code)")
            case .again(let seconds):
                #expect(now.disposition == .waitUntil(sentAt.after(1 + seconds)), "\(code)")
                #expect(later.disposition == .resubmit, "\(code)")
            }
        }
    }

    /// A final answer stays final, whatever the advice.
    @Test func adviceNeverLoosensARule() throws {
        let evidence = declinedSale(answer: "43", advice: "24", scheme: .mastercard)
        let ruling = classify(evidence, at: sentAt.after(11 * day), book: try standardBook())
        #expect(ruling.disposition == .never && ruling.rule == "iso.43")
    }
}
