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

    /// The times of all queries: the intervals grow, then stay equal, and never end.
    @Test func theIntervalsGrowAndNeverEnd() throws {
        var queries: [QueryEvidence] = []
        var times: [Int64] = []
        var shown: [Bool] = []
        for position in 0..<14 {
            guard case .query(let at, _, let isShown) = try next(doubt(), queries) else {
                Issue.record("it was given up")
                return
            }
            times.append(at.microseconds(since: sentAt) / 1_000_000)
            shown.append(isShown)
            queries.append(QueryEvidence(position: Int64(position), at: at, answer: .unanswered))
        }
        // The interval after the query at 50 seconds is 60 seconds. The next query is made earlier, at 90 seconds,
        // because "not posted" is reliable from then on.
        #expect(times.prefix(9) == [5, 20, 50, 90, 210, 510, 1410, 5010, 19_410])
        #expect(zip(times.suffix(5), times.suffix(5).dropFirst()).allSatisfy { $1 - $0 == 14_400 })
        #expect(shown == Array(repeating: false, count: 9) + Array(repeating: true, count: 5))
    }

    /// Handpoint: "not posted" is unreliable before 90 seconds, and proves after them that nothing was charged.
    @Test func handpointsUndefined() throws {
        let early = asks((5, .notPosted), (89, .notPosted))
        #expect(
            try next(doubt(.handpoint), early)
                == .query(at: sentAt.after(90), rule: "wait.unposted.handpoint", isShown: false)
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

    /// After the last interval the queries continue, and the doubt is shown.
    @Test func longDoubtsNeedReview() throws {
        var evidence = declinedSale(outcome: .unknown, status: .inDoubt)
        let queries = (0..<9).map {
            QueryEvidence(position: Int64(20 + $0), at: sentAt.after(Int64($0) * 1000), answer: .unanswered)
        }
        evidence.doubts = [Doubt(operation: .sale, position: 2, sentAt: sentAt, vendor: .bridgepay, queries: queries)]
        let ruling = classify(evidence, at: sentAt.after(9000), book: try standardBook())
        #expect(ruling.disposition == .waitUntil(sentAt.after(8000 + 14_400)) && ruling.isShown)
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
