import Canonical
import DaybookTestKit
import Payments
import ReplayRules
import Testing

/// The schedule of queries about unknown outcomes, and the answers that end them.
@Suite struct QueryScheduleTests {
    private func doubt(_ vendor: Vendor? = .bridgepay) -> Doubt {
        Doubt(operation: .sale, position: 3, sentAt: sentAt, vendor: vendor)
    }

    private func asks(_ answers: (Int64, QueryEvidence.Answer)...) -> [QueryEvidence] {
        answers.enumerated().map { index, ask in
            QueryEvidence(position: Int64(10 + index), at: sentAt.after(ask.0), answer: ask.1)
        }
    }

    private func next(_ doubt: Doubt, _ queries: [QueryEvidence], _ overrides: [String] = []) throws -> NextQuery {
        nextQuery(doubt, queries: queries, now: sentAt.after(1000), book: try standardBook(overrides))
    }

    /// The times of all queries until the doubt is an operator's.
    private func times(_ overrides: [String] = []) throws -> [Int64]? {
        var queries: [QueryEvidence] = []
        for position in 0..<100 {
            switch try next(doubt(), queries, overrides) {
            case .query(let at, _):
                queries.append(QueryEvidence(position: Int64(position), at: at, answer: .unanswered))
            case .ended(let end, let rule):
                #expect(end == .handedToPerson && rule == "query.intervals")
                return queries.map { $0.at.microseconds(since: sentAt) / 1_000_000 }
            }
        }
        return nil
    }

    /// The intervals grow to the last one, and then the doubt is an operator's.
    @Test func theIntervalsGrowToABound() throws {
        // The interval after the query at 50 seconds is 60 seconds. The next query is made earlier, at 90 seconds,
        // because "not posted" is reliable from then on.
        #expect(try times() == [5, 20, 50, 90, 210, 510, 1410, 5010, 19_410, 62_610, 149_010])
    }

    @Test(
        arguments: [
            ("60 120 240 480 960 1920 3840 7680 14400", [60, 90, 330, 810, 1770, 3690, 7530, 15_210, 29_610]),
            ("60 180 540 1620 4860 14580 43740 86400", [60, 90, 630, 2250, 7110, 21_690, 65_430, 151_830]),
            ("3600", [90]), ("60 120 240 480 960 1000", [60, 90, 330, 810, 1770, 2770]),
        ] as [(String, [Int64])]
    )
    func everyScheduleEnds(intervals: String, expected: [Int64]) throws {
        #expect(try times(["query.intervals=\(intervals)"]) == expected)
    }

    /// "Not posted" is worth a query even after the last interval.
    @Test func theReliableQueryIsMadeAfterAShortSchedule() throws {
        #expect(try times(["query.intervals=1 1"]) == [1, 2, 90])
    }

    /// Handpoint: "not posted" is unreliable before 90 seconds, and proves after them that nothing was charged.
    @Test func handpointsUndefined() throws {
        let early = asks((5, .notPosted), (89, .notPosted))
        #expect(
            try next(doubt(.handpoint), early)
                == .query(at: sentAt.after(90), rule: "wait.unposted.handpoint")
        )
        let late = early + asks((90, .notPosted))
        #expect(try next(doubt(.handpoint), late) == .ended(.notPosted, rule: "doubt.evidence"))
        #expect(
            try next(doubt(.handpoint), late, ["wait.unposted.handpoint=120"])
                != .ended(.notPosted, rule: "doubt.evidence")
        )
    }

    @Test func onlyEvidenceEndsADoubt() throws {
        let ends: [(QueryEvidence.Answer, DoubtEnd?)] = [
            (.approved, .approved), (.declined, .declined), (.reversed, .reversed), (.notPosted, .notPosted),
            (.ambiguous, .handedToPerson), (.refused, .handedToPerson), (.pending, nil), (.unknown, nil),
            (.unanswered, nil),
        ]
        #expect(Set(ends.map(\.0)) == Set(QueryEvidence.Answer.allCases))
        for (answer, end) in ends {
            switch try next(doubt(), asks((100, answer))) {
            case .ended(let reported, _): #expect(reported == end, "\(answer)")
            case .query: #expect(end == nil, "\(answer)")
            }
        }
    }

    @Test func contradictingAnswersNeedReview() throws {
        #expect(
            try next(doubt(), asks((100, .approved), (200, .reversed))) == .ended(.reversed, rule: "doubt.evidence")
        )
        #expect(
            try next(doubt(), asks((100, .approved), (200, .declined)))
                == .ended(.handedToPerson, rule: "doubt.contradiction")
        )
        #expect(
            try next(doubt(), asks((100, .notPosted), (200, .approved)))
                == .ended(.handedToPerson, rule: "doubt.contradiction")
        )
        #expect(
            try next(doubt(), asks((100, .ambiguous), (200, .approved)))
                == .ended(.handedToPerson, rule: "doubt.ambiguous")
        )
    }

    @Test(arguments: [Vendor.youtransactor, .paydiant, nil])
    func paymentsThatCannotBeQueriedNeedReview(vendor: Vendor?) throws {
        #expect(try next(doubt(vendor), []) == .ended(.handedToPerson, rule: "lookup"))
    }

    /// BridgePay: 80003 found several payments; 800011 found none.
    @Test func bridgePaysFind() throws {
        let book = try standardBook()
        func found(_ code: String) -> Ruling {
            var evidence = declinedSale(
                codes: [AnswerCode("bridgepay.result", code)],
                outcome: .unknown,
                status: .inDoubt
            )
            evidence.doubts = [Doubt(operation: .sale, position: 2, sentAt: sentAt, vendor: .bridgepay)]
            return classify(evidence, at: sentAt.after(7), book: book)
        }
        #expect(found("80003").disposition == .needsPerson && found("80003").rule == "bridgepay.result.80003")
        #expect(found("20002").disposition == .waitUntil(sentAt.after(7)))
        #expect(found("55555").disposition == .waitUntil(sentAt.after(7)))
    }

    /// A payment the host is processing is not queried for half a minute. The outcome stays unknown until it is
    /// reported.
    @Test func paymentsInProcessingAreNotQueried() throws {
        let book = try standardBook()
        var evidence = declinedSale(answer: "09", outcome: .unknown, status: .inDoubt)
        evidence.doubts = [Doubt(operation: .sale, position: 2, sentAt: sentAt, vendor: .bridgepay)]
        let ruling = classify(evidence, at: sentAt.after(2), book: book)
        #expect(ruling.disposition == .waitUntil(sentAt.after(31)) && ruling.rule == "wait.in-flight")
        let years = classify(evidence, at: sentAt.after(1000 * day), book: book)
        #expect(years.disposition == .waitUntil(sentAt.after(1000 * day)))
    }

    /// After the last interval the doubt is an operator's.
    @Test func longDoubtsNeedReview() throws {
        var evidence = declinedSale(outcome: .unknown, status: .inDoubt)
        let queries = (0..<11).map {
            QueryEvidence(position: Int64(20 + $0), at: sentAt.after(Int64($0) * 1000), answer: .unanswered)
        }
        evidence.doubts = [Doubt(operation: .sale, position: 2, sentAt: sentAt, vendor: .bridgepay, queries: queries)]
        let ruling = classify(evidence, at: sentAt.after(11_000), book: try standardBook())
        #expect(ruling.disposition == .needsPerson && ruling.rule == "query.intervals" && ruling.isShown)
    }

    @Test func theOrderOfQueriesDoesNotMatter() throws {
        var random = SeededGenerator.forTest()
        for _ in 0..<500 {
            let count = Int.random(in: 0...6, using: &random)
            let queries = (0..<count).map { index in
                QueryEvidence(
                    position: Int64(index),
                    at: sentAt.after(Int64.random(in: 0...400, using: &random)),
                    answer: QueryEvidence.Answer.allCases.randomElement(using: &random) ?? .unknown
                )
            }
            let vendor = Vendor.allCases.randomElement(using: &random)
            let first = try next(doubt(vendor), queries)
            #expect(try next(doubt(vendor), queries.shuffled(using: &random)) == first, "seed \(random.seed)")
        }
    }
}
