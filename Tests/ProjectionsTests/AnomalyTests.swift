import Canonical
import DaybookTestKit
import EventLog
import Payments
import Projections
import Testing

struct AnomalyTests {
    @Test func anAnomalyIsOpenUntilItIsClearedOrAcknowledged() async throws {
        try await Following.with { following in
            let log = following.log
            let payment = StreamName.transaction(Samples.id(1))
            try await log.record(Samples.sale(1000, document: Samples.document(merchant: "m-1")), about: Samples.id(1))
            let void = Anomaly.followUpInDoubt(.void)
            let refund = Anomaly.followUpInDoubt(.refund)
            try await log.record([.anomalyRaised(void), .anomalyRaised(refund)], about: Samples.id(1))
            try await log.record([.anomalyRaised(Anomaly(.reversalDue, "x"))], about: Samples.id(1))
            // The explanation of a follow-up in doubt clears that one; for other kinds, all of the kind.
            try await log.record(
                [.anomalyCleared(void), .anomalyCleared(Anomaly(.reversalDue, "y"))],
                about: Samples.id(1)
            )
            let closing = BatchClosing(batch: Samples.batch("7"), response: Response())
            let mismatch = Anomaly(.batchMismatch, "b", related: [payment])
            try await log.record([.batchClosed(closing), .anomalyRaised(mismatch)], about: Samples.batch("7"))
            try await following.catchUp(["anomalies"])
            let store = ProjectionStore(projection: AnomaliesProjection(), pool: log.pool)
            let query = AnomalyQuery(pool: log.pool)
            func all() async throws -> [AnomalyView] {
                try await query.anomalies(of: "acme", matching: AnomalyFilter(), limit: 100)
            }
            var found = try await all()
            #expect(found.map(\.anomaly.kind) == [.batchMismatch, .reversalDue, .followUpInDoubt, .followUpInDoubt])
            #expect(found.map(\.state) == [.open, .cleared, .open, .cleared])
            #expect(found[0].anomaly == mismatch && found[0].terminal == "tpn-1" && found[0].vendor == "dejavoo")
            #expect(found[2].merchant == "m-1" && found[2].stream == payment)
            #expect(found[1].cleared == found[3].cleared.map { $0 + 1 })

            let reported = TenantEvent.anomalyAcknowledged(
                AnomalyAcknowledgement(anomaly: found[2].id.text, reason: "it was refunded")
            )
            for tenant in ["other", "acme"] {
                let event = ProposedEvent.sample(
                    reported.type,
                    data: try reported.data().text,
                    occurredAt: log.clock.now()
                )
                _ = try await log.sequencer.append(
                    AppendItem(tenant: tenant, stream: StreamName.tenant(tenant), expected: .any, events: [event])
                )
            }
            try await following.catchUp(["anomalies"])
            found = try await all()
            #expect(found[2].state == .acknowledged && found[2].acknowledgement?.reason == "it was refunded")
            #expect(found.map(\.state) == [.open, .cleared, .acknowledged, .cleared])
            let live = try await store.digest()
            _ = try await following.rebuild("anomalies", force: true)
            #expect(try await store.digest() == live)
        }
    }
}
