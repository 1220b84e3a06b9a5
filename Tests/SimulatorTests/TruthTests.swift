import Canonical
import Payments
import Testing

@testable import Simulator

@Suite struct TruthTests {
    /// Amounts and statuses of every payment are consistent.
    @Test func everyPaymentAddsUp() throws {
        for truth in try Played(transactions: 3_000, days: 3, faults: FaultProfile(all: 50_000)).payments {
            let parts = truth.base + truth.tax + truth.fee
            #expect(truth.requested >= parts - 0 && truth.requested > 0 || truth.status == .verified, "\(truth)")
            #expect(truth.captured >= 0 && truth.tip >= 0 && truth.refunded >= 0 && truth.credited >= 0)
            #expect(truth.tip <= truth.captured || truth.captured == 0 && truth.tip == truth.requested - parts)
            #expect(truth.refunded <= truth.captured)
            #expect(truth.captured == 0 || truth.credited == 0)
            let holdsMoney = truth.captured > 0 || truth.credited > 0
            switch truth.status {
            case .captured, .partiallyCaptured, .partiallyApproved, .settled, .credited, .refunded, .partiallyRefunded:
                #expect(holdsMoney && truth.batch != nil, "\(truth)")
            default: #expect(!holdsMoney, "\(truth)")
            }
            if truth.status == .refunded { #expect(truth.refunded == truth.captured) }
            if truth.status == .partiallyRefunded { #expect(truth.refunded > 0 && truth.refunded < truth.captured) }
            if truth.status == .partiallyApproved { #expect(truth.authorized < truth.requested) }
        }
    }

    /// Batches are the sums of their payments, and each payment is in one.
    @Test func batchesAreTheSumsOfTheirPayments() throws {
        let played = try Played(transactions: 2_000, days: 4, faults: FaultProfile(all: 50_000))
        let batches = played.simulation.batches
        #expect(Set(batches.map(\.batch)).count == batches.count)
        for batch in batches {
            let members = played.payments.filter { $0.batch == batch.batch }
            #expect(members.count == batch.members)
            #expect(members.reduce(0) { $0 + $1.net } == batch.net)
            let unknown = members.filter { $0.evidence == .missing }.reduce(0) { $0 + $1.net }
            #expect(unknown == batch.unknownNet)
            #expect(members.contains { $0.status == .settled } == (batch.isClosed && members.contains { $0.net != 0 }))
        }
        #expect(Set(played.payments.compactMap(\.batch)) == Set(batches.map(\.batch)))
        #expect(batches.contains { $0.isClosed })
    }

    @Test func aTruthFileIsReadBack() throws {
        let played = try Played()
        let lines = [TruthFile.head(played.plan)] + (try played.truth.lines())
        let read = try TruthFile(lines: lines.map(\.canonicalBytes))
        #expect(read.payments == played.payments)
        #expect(read.batches == played.simulation.batches)
        #expect(throws: UnreadableTruth(line: 2)) {
            try TruthFile(lines: [lines[0].canonicalBytes, Array("{\"type\":\"payment\"}".utf8)])
        }
    }

    /// BridgePay's test gateway and the simulated one agree on the meaning of amounts.
    @Test func bridgePayAnswersByTheAmount() {
        let answers: [(Int64, String?)] = [
            (499, nil), (500, "A01"), (6_999, "A01"), (7_000, "D05"), (8_500, "D10"), (9_999, "D30"), (10_000, "D04"),
            (11_000, "D08"), (12_999, "D03"), (13_000, "E02"), (14_999, "E09"), (15_000, "A05"), (15_999, "A05"),
            (17_000, "A01"), (18_199, "A01"), (18_200, "D01"), (199_999, "D01"), (900_000, "A01"), (100, "D01"),
        ]
        for (cents, code) in answers { #expect(BridgePayTestAmounts.sale(cents).message == code, "\(cents)") }
        #expect(BridgePayTestAmounts.approvedPart(of: 15_050) == 14_050)
    }
}
