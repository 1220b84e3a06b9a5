import Canonical
import Gateways
import Payments
import ReplayRules

@testable import Replay

// From the query to the end of the submission.
extension ReplayItemMachineTests {
    // MARK: Query

    static let queries: [ItemTranscript] = {
        func after(_ name: String, _ outcome: ReplayItemMachine.Event, _ action: String) -> ItemTranscript {
            ItemTranscript("query: \(name)", queried() + [(outcome, action)])
        }
        func repeated(_ count: Int, _ action: String) -> ItemTranscript {
            let own = (1...count).flatMap { Sample.own(.find, $0, .find, .callTimedOut, failure: "read-timeout") }
            return ItemTranscript(
                "query \(count + 1) is unanswered",
                queried(Sample.snapshot(own: own), "find find-\(count + 1) 1000 v\(3 + 2 * count) compared")
                    + [(Sample.unanswered, action)]
            )
        }
        /// After eight queries, of which only the first one after the last answer was unanswered.
        func answered(_ verdict: GatewayVerdictName, _ action: String) -> ItemTranscript {
            let own = (1...8).flatMap { number in
                number == 7
                    ? Sample.own(.find, 7, .find, .callAnswered, verdict: verdict)
                    : Sample.own(.find, number, .find, .callTimedOut, failure: "read-timeout")
            }
            return ItemTranscript(
                "query 9 is unanswered, query 7 was answered: \(verdict.rawValue)",
                queried(Sample.snapshot(own: own), "find find-9 1000 v19 compared") + [(Sample.unanswered, action)]
            )
        }
        let unclear = "needs-person lookup.unclear - v3"
        let neverSent = "find find-1 1000 v3 compared"
        return [
            after("overtaken", .called(nil), "later 1"),
            after("unanswered", Sample.unanswered, "later 1"),
            repeated(1, "later 2"), repeated(7, "later 128"), repeated(8, "later 300"), repeated(9, "later 300"),
            answered(.declined, "later 2"), answered(.pending, "later 300"),
            after("approved", Sample.answered(.approved), "snapshot"),
            after("partially approved", Sample.answered(.partiallyApproved), "snapshot"),
            after("declined", Sample.answered(.declined), "snapshot"),
            after("not posted", Sample.answered(.notPosted), "snapshot"),
            after("pending", Sample.answered(.pending(untilAgeSeconds: nil)), "later 1"),
            after("ambiguous", Sample.answered(.ambiguous), unclear),
            after("unknown", Sample.answered(.unknown), unclear),
            after("refused", Sample.answered(.refused(code: "x")), unclear),
            ItemTranscript(
                "nothing to query: never sent",
                queried(Sample.snapshot(Sample.neverSent), neverSent) + [(Sample.notSent(.incomplete), "snapshot")]
            ),
        ]
            + GatewayFailure.Code.allCases.map { code in
                after(
                    "not sent: \(code.rawValue)",
                    Sample.notSent(code),
                    code == .incomplete || code == .unsupported ? unclear : "later 1"
                )
            }
    }()

    // MARK: Lost calls

    static let recalls: [ItemTranscript] = {
        let finding: [any PaymentGateway] = [SilentGateway(findsCalls: true)]
        let recalled: Exchange = queried(Sample.snapshot(), "find recall-1 - v3 compared")
        let asked = Sample.own(.recall, 1, .find, .callAnswered, verdict: .unknown)
        let lost = Sample.own(.attempt, 1, .sale, .callTimedOut, failure: GatewayCaller.abandoned)
        func after(_ name: String, _ rest: Exchange) -> ItemTranscript {
            ItemTranscript("lost call: \(name)", gateways: finding, recalled + rest)
        }
        func found(_ verdict: GatewayVerdictName, _ action: String) -> ItemTranscript {
            var answered = Sample.own(.recall, 1, .find, .callAnswered, verdict: verdict, code: "c1")
            if case .gateway(var event)? = answered.last {
                event.report.about = ReplayReference.attempt("acme", Sample.sale, 1)
                answered[1] = .gateway(event)
            }
            let events = answered.prefix(1) + lost + answered.dropFirst()
            return after(
                "found: \(verdict.rawValue)",
                [(Sample.answered(.approved), "snapshot"), (Sample.snapshot(own: Array(events)), action)]
            )
        }
        let notFound = ReplayItemMachine.Event.called(
            .answered(GatewayAnswer(verdict: .unknown, response: Response(), isNotFound: true))
        )
        let unclear = "needs-person lookup.unclear -"
        /// Nine lost calls were sought, each time with an answer, before one that is not answered.
        let often = ItemTranscript(
            "lost call: unanswered after nine answers",
            gateways: finding,
            queried(
                Sample.snapshot(
                    own: (1...9).flatMap { Sample.own(.recall, $0, .find, .callAnswered, verdict: .unknown) }
                ),
                "find recall-10 - v21 compared"
            ) + [(Sample.unanswered, "later 1")]
        )
        return [
            often,
            after("overtaken", [(.called(nil), "later 1")]), after("unanswered", [(Sample.unanswered, "later 1")]),
            after("pending", [(Sample.answered(.pending(untilAgeSeconds: nil)), "later 1")]),
            after("not sent", [(Sample.notSent(.circuitOpen), "later 1")]),
            after("no query", [(Sample.notSent(.incomplete), "\(unclear) v3")]),
            after(
                "not found",
                [(notFound, "snapshot"), (Sample.snapshot(own: asked), "find find-1 1000 v5 compared")]
            ),
            after(
                "not found, moved on",
                [(notFound, "snapshot"), (Sample.snapshot(others: [Sample.document]), "later 1")]
            ),
            after(
                "another transaction",
                [(Sample.answered(.ambiguous), "snapshot"), (Sample.snapshot(own: asked), "\(unclear) v5")]
            ),
            found(.approved, "posted - c1 v7"), found(.declined, "declined - c1 v7"),
            found(.unknown, "unknown - \(GatewayCaller.abandoned) v7"),
        ]
    }()

    // MARK: After the query

    static let secondJudgements: [ItemTranscript] = {
        func again(_ name: String, _ second: ReplayItemMachine.Event, _ action: String) -> ItemTranscript {
            ItemTranscript(name, queried() + [(Sample.answered(.declined), "snapshot"), (second, action)])
        }
        return [
            again("another attempt of the item", Sample.snapshot(own: found + Sample.own(.attempt)), "later 1"),
            again("another event", Sample.snapshot(own: found, others: [Sample.document]), "later 1"),
            again(
                "the query found the payment",
                Sample.snapshot(own: found + Sample.sold.dropFirst()),
                "already-posted status.posted - v7"
            ),
            ItemTranscript(
                "a gateway without queries",
                gateways: [SilentGateway(unsupported: [.find])],
                queried(Sample.snapshot(), "snapshot") + [(Sample.snapshot(), "claims")]
            ),
            ItemTranscript(
                "duplicates",
                submitted.dropLast(3) + [
                    (
                        .orderDuplicates(Ruling(.needsPerson, rule: "sibling.invoice", evidence: [7])),
                        "needs-person sibling.invoice - v5"
                    )
                ]
            ),
            ItemTranscript("the read model is behind", submitted.dropLast(3) + [(.readModelBehind, "later 1")]),
            ItemTranscript(
                "no token",
                submitted.dropLast() + [(.token(nil), "needs-person replay.no-token - v5")]
            ),
            ItemTranscript(
                "another token",
                submitted.dropLast() + [(Sample.otherToken, "needs-person replay.other-card - v5")]
            ),
            ItemTranscript(
                "a plan without a card",
                item: Sample.item(.sale, card: nil),
                submitted.dropLast() + [(Sample.held, "needs-person replay.other-card - v5")]
            ),
        ]
    }()

    // MARK: Submission

    static let submissions: [ItemTranscript] = {
        let permanent: [GatewayFailure.Code] = [.unsupported, .incomplete, .addressRefused, .tlsFailed]
        func concluded(_ name: String, _ end: [TransactionEvent], _ action: String) -> ItemTranscript {
            ItemTranscript(
                "submitted: \(name)",
                submitted + [(Sample.answered(.approved), "snapshot"), (Sample.snapshot(own: found + end), action)]
            )
        }
        func answered(_ verdict: GatewayVerdictName) -> [TransactionEvent] {
            Sample.own(.attempt, 1, .sale, .callAnswered, verdict: verdict, code: "c1")
        }
        let again = Sample.own(.attempt, 1, .sale, .callFailed, failure: "not-connected")
        return [
            ItemTranscript("submitted: overtaken", submitted + [(.called(nil), "later 1")]),
            ItemTranscript(
                "submitted: unanswered",
                submitted + [
                    (Sample.unanswered, "snapshot"),
                    (
                        Sample.snapshot(
                            own: found + Sample.own(.attempt, 1, .sale, .callTimedOut, failure: "read-timeout")
                        ), "unknown - read-timeout v7"
                    ),
                ]
            ),
            concluded("approved", answered(.approved), "posted - c1 v7"),
            concluded("partially approved", answered(.partiallyApproved), "posted - c1 v7"),
            concluded("declined", answered(.declined), "declined - c1 v7"),
            concluded("refused", answered(.refused), "needs-person gateway.refused c1 v7"),
            concluded("not posted", answered(.notPosted), "needs-person gateway.refused c1 v7"),
            concluded("pending", answered(.pending), "unknown - c1 v7"),
            concluded("ambiguous", answered(.ambiguous), "unknown - c1 v7"),
            concluded("unknown", answered(.unknown), "unknown - c1 v7"),
            concluded("not recorded", [], "later 1"),
            ItemTranscript(
                "a second attempt after one that was not sent",
                queried(Sample.snapshot(own: found + again), "find find-2 1000 v7 compared") + [
                    (Sample.answered(.declined), "snapshot"),
                    (
                        Sample.snapshot(own: found + again + Sample.own(.find, 2, .find, .callAnswered)), "claims"
                    ),
                    (.claims([]), "duplicates"), (.orderDuplicates(nil), "status"), (.status(.running), "token"),
                    // The first one reached no gateway, so its reference is used again.
                    (Sample.held, "sale attempt-1 1000 v9 with-token"),
                ]
            ),
        ]
            + GatewayFailure.Code.allCases.map { code in
                let end = "needs-person replay.incomplete-request \(code.rawValue) v7"
                return ItemTranscript(
                    "submitted: not sent: \(code.rawValue)",
                    submitted + [(Sample.notSent(code), permanent.contains(code) ? end : "later 30")]
                )
            }
    }()

    // MARK: Follow-ups

    static let followUps: [ItemTranscript] = {
        func followUp(
            _ operation: ReplayOperation,
            _ events: [TransactionEvent],
            amount: Money? = nil,
            tip: Money? = nil,
            _ call: String
        ) -> ItemTranscript {
            let item = Sample.item(operation, version: Int64(events.count), amount: amount, tip: tip, card: nil)
            let first = Sample.snapshot(events, for: item)
            let query = "find find-1 1000 v\(events.count) compared"
            return ItemTranscript(
                "\(operation.rawValue) \(amount.map { "of \($0.value)" } ?? "of everything")",
                item: item,
                at: Sample.soon,
                queried(first, query) + [
                    (Sample.answered(.approved), "snapshot"),
                    (Sample.snapshot(events, own: found, for: item), "status"), (.status(.running), call),
                    (Sample.answered(.approved), "snapshot"),
                    (
                        Sample.snapshot(
                            events,
                            own: found
                                + Sample.own(
                                    .attempt,
                                    1,
                                    operation.call ?? .void,
                                    .callAnswered,
                                    verdict: .approved,
                                    code: "c1"
                                ),
                            for: item
                        ), "posted - c1 v\(events.count + 4)"
                    ),
                ]
            )
        }
        let void = Sample.unsentFollowUp(.void)
        let refund = Sample.unsentFollowUp(.refund, of: Sample.settled)
        let item = Sample.item(.void, version: Int64(void.count), amount: nil, card: nil)
        return [
            followUp(.void, void, "void attempt-1 - v8"),
            followUp(.refund, refund, amount: Money(300, .usd), "refund attempt-1 300 v9"),
            followUp(.refund, refund, "refund attempt-1 1000 v9"),
            followUp(
                .tipAdjustment,
                Sample.unsentFollowUp(.tipAdjustment),
                amount: Money(1_200, .usd),
                tip: Money(200, .usd),
                "tip-adjustment attempt-1 1200 v8 tip 200"
            ),
            followUp(
                .capture,
                Sample.unsentFollowUp(.capture, of: Sample.authorized),
                amount: Money(700, .usd),
                "capture attempt-1 700 v7"
            ),
            followUp(.capture, Sample.unsentFollowUp(.capture, of: Sample.authorized), "capture attempt-1 1000 v7"),
            ItemTranscript(
                "a follow-up needs the payment at the gateway",
                item: item,
                at: Sample.soon,
                queried(Sample.snapshot(void, for: item), "find find-1 1000 v6 compared") + [
                    (Sample.answered(.notPosted), "needs-person lookup.unclear - v6")
                ]
            ),
        ]
    }()
}
