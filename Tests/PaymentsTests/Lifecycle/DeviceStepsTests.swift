import Canonical
import Payments
import Testing

/// The signature and the cancellation of a payment, from the reports of the device.
@Suite("Signature and cancellation")
struct DeviceStepsTests {
    private func report(_ name: DeviceEventName, _ details: [Detail]? = nil) -> TransactionEvent {
        .device(DeviceEvent(name, DeviceReport(response: Response(code: name.rawValue), details: details)))
    }

    private func fold(_ observations: [TransactionEvent]...) -> TransactionState {
        var history: [TransactionEvent] = []
        for facts in observations {
            history += Lifecycle.decide(facts, after: history, policy: LifecyclePolicy())
        }
        return TransactionState(folding: history)
    }

    @Test("A signature is requested, accepted, declined or timed out")
    func signatures() {
        let request: [TransactionEvent] = [.saleRequested(Reported.request(100)), report(.signatureRequested)]
        #expect(fold(request).steps.signature == .requested)
        let ends: [(DeviceEventName, DeviceSteps.Signature)] = [
            (.signatureAccepted, .accepted), (.signatureDeclined, .declined), (.signatureTimedOut, .timedOut),
        ]
        for (name, signature) in ends {
            #expect(fold(request, [report(name)]).steps.signature == signature)
            // The request that arrives last changes nothing.
            #expect(fold([report(name)], request).steps.signature == signature)
        }
        #expect(fold(Reported.sale(100)).steps.signature == nil)
    }

    @Test(
        "An approval after a declined or unconfirmed signature is flagged, in either order",
        arguments: [DeviceEventName.signatureDeclined, .signatureTimedOut]
    )
    func refusedSignature(name: DeviceEventName) {
        for state in [
            fold([report(.signatureRequested)], [report(name)], Reported.sale(100)),
            fold(Reported.sale(100), [report(name)]),
        ] {
            #expect(state.status == .captured && state.anomalies.map(\.kind) == [.conflictingOutcome])
        }
        #expect(fold(Reported.sale(100), [report(.signatureAccepted)]).anomalies == [])
        let declined: [TransactionEvent] = [.declined(Reported.verdict())]
        #expect(fold([report(name)], declined).anomalies == [])
    }

    @Test("A request to cancel is honoured, or comes too late")
    func cancellations() {
        let request: [TransactionEvent] = [.saleRequested(Reported.request(100))]
        let asked = [report(.cancelRequested)]
        let refused = [report(.cancelRequested, [Detail(DeviceSteps.cancelAnswer, "false")])]
        #expect(fold(request).cancellation == nil)
        #expect(fold(request, asked).cancellation == .requested)
        #expect(fold(request, refused).cancellation == .tooLate)
        #expect(fold(asked, Reported.sale(100)).cancellation == .tooLate)
        #expect(fold(request, asked, [.cancelled(Reported.verdict(.reader))]).cancellation == .honoured)
        #expect(fold(request, asked, [.declined(Reported.verdict())]).cancellation == .requested)
    }
}
