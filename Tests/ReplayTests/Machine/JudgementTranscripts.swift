import Canonical
import Gateways
import Payments
import ReplayRules

@testable import Replay

// What ends an item before its query.
extension ReplayItemMachineTests {
    private static func refusal(_ snapshot: ReplayItemMachine.Event, _ action: String) -> Exchange {
        [(.begun, "snapshot"), (snapshot, "status"), (.status(.running), action)]
    }

    static let earlierCalls: [ItemTranscript] = {
        func ended(_ name: String, _ events: [TransactionEvent], _ action: String) -> ItemTranscript {
            ItemTranscript(name, [(.begun, "snapshot"), (Sample.snapshot(own: events), action)])
        }
        let verdicts: [(GatewayVerdictName?, String)] = [
            (.approved, "posted - c1 v5"), (.partiallyApproved, "posted - c1 v5"), (.declined, "declined - c1 v5"),
            (.refused, "needs-person gateway.refused c1 v5"), (.notPosted, "needs-person gateway.refused c1 v5"),
            (.pending, "unknown - c1 v5"), (.ambiguous, "unknown - c1 v5"), (.unknown, "unknown - c1 v5"),
            (nil, "unknown - c1 v5"),
        ]
        return [
            ended("an open call", Sample.own(.attempt), "unknown - \(GatewayCaller.abandoned) v4"),
            ended(
                "an unanswered call",
                Sample.own(.attempt, 1, .sale, .callTimedOut, failure: "read-timeout"),
                "unknown - read-timeout v5"
            ),
        ]
            + verdicts.map { verdict, action in
                ended(
                    "an answered call: \(verdict?.rawValue ?? "no verdict")",
                    Sample.own(.attempt, 1, .sale, .callAnswered, verdict: verdict, code: "c1"),
                    action
                )
            }
    }()

    static let halts: [ItemTranscript] = ReplayStatus.allCases.filter { $0 != .running }.flatMap { status in
        [false, true].map { isLate in
            let before: Exchange =
                isLate ? submitted.dropLast(2) : [(.begun, "snapshot"), (Sample.snapshot(), "status")]
            let version = isLate ? 5 : 3
            return ItemTranscript(
                "\(status) \(isLate ? "before the submission" : "at the start")",
                before + [
                    (.status(status), status == .paused ? "later 30" : "needs-person replay.stopped - v\(version)")
                ]
            )
        }
    }

    static let changes: [ItemTranscript] = [
        ItemTranscript("expired", at: Sample.expiresAt, refusal(Sample.snapshot(), "needs-person replay.expired - v3")),
        ItemTranscript("moved on", refusal(Sample.snapshot(others: [Sample.document]), "moved-on - - v4")),
        ItemTranscript(
            "moved on after the item's query",
            refusal(Sample.snapshot(own: found, others: [Sample.document]), "moved-on - - v6")
        ),
        ItemTranscript(
            "fewer events than judged",
            item: Sample.item(.sale, version: 4),
            refusal(Sample.snapshot(for: Sample.item(.sale, version: 4)), "moved-on - - v3")
        ),
        ItemTranscript(
            "other card",
            refusal(Sample.snapshot(others: [Sample.keptToken("hmac-sha256:2")]), "moved-on replay.other-card - v4")
        ),
        ItemTranscript(
            "other rules",
            book: nil,
            refusal(Sample.snapshot(), "needs-person replay.other-rules - v3")
        ),
    ]

    static let rulings: [ItemTranscript] = {
        func ruled(
            _ name: String,
            _ events: [TransactionEvent],
            at: Timestamp = Sample.now,
            expiresAt: Timestamp = Sample.expiresAt,
            _ action: String
        ) -> ItemTranscript {
            let item = Sample.item(.sale, version: Int64(events.count))
            return ItemTranscript(
                name,
                item: item,
                at: at,
                expiresAt: expiresAt,
                refusal(Sample.snapshot(events, for: item), action)
            )
        }
        let unknown = Array(Sample.declined.dropLast()) + [.outcomeUnknown(Sample.verdict("20002"))]
        let cancelled = Array(Sample.declined.dropLast()) + [.cancelled(Sample.verdict("x"))]
        let unruled = Array(Sample.declined.dropLast()) + [.declined(Sample.verdict("no-such-code"))]
        let early = Sample.requestedAt.adding(microseconds: 2_000_000)
        let soon = Sample.requestedAt.adding(microseconds: 3_000_000)
        return [
            ruled("already posted", Sample.captured, "already-posted status.posted - v4"),
            ruled("never", cancelled, "needs-person status.cancelled - v3"),
            ruled("wait", unknown, at: early, "later 4"),
            ruled("wait beyond the plan", unknown, at: early, expiresAt: soon, "needs-person query.intervals - v3"),
            ruled("needs review", unruled, "needs-person default - v3"),
        ]
    }()

    static let gateways: [ItemTranscript] = {
        func way(_ name: String, _ gateways: [any PaymentGateway], _ rule: String) -> ItemTranscript {
            ItemTranscript(name, gateways: gateways, refusal(Sample.snapshot(), "needs-person \(rule) - v3"))
        }
        let gone = Sample.neverSent
        return [
            way("no gateway", [], "gateway.none"),
            way("a gateway of another vendor", [SilentGateway(vendor: .handpoint)], "gateway.none"),
            way("two gateways", [SilentGateway(), SilentGateway(name: "second")], "gateway.several"),
            way("unsupported", [SilentGateway(unsupported: [.sale])], "gateway.unsupported"),
            way("takes any card", [SilentGateway(takesPresentedCards: true)], "gateway.unsupported"),
            ItemTranscript(
                "the called gateway is gone",
                gateways: [SilentGateway(name: "second")],
                refusal(Sample.snapshot(gone), "needs-person gateway.gone - v3")
            ),
        ]
    }()
}
