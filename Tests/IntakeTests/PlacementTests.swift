import Canonical
import DaybookTestKit
import EventLog
import Payments
import Redaction
import Testing
import Vendors

@testable import Intake

/// Streams of documents that are not about a payment, or whose subject is unknown.
@Suite("The streams of documents")
struct PlacementTests {
    /// Reads `{"serial"?, "key"?, "what"}`.
    private struct Gadget: VendorAdapter {
        let vendor = Vendor.handpoint
        let kinds = ["status", "token"]

        func redactionSchema(for kind: String) -> RedactionSchema { .none }

        func serial(ofDevice device: String) -> String { device }

        func merchantAccount(in document: JSONValue, terminal: String?, device: String?) -> String? { nil }

        func lookupNames(_ references: References, appReference: String?) -> LookupNames { LookupNames() }

        let findsByInvoice = false

        let policy = LifecyclePolicy()

        func lookupProof(isOwn: Bool, invoice: LookupInvoice?) -> LookupProof { .vendors }

        func batchNumber(inTransaction transaction: String) -> String? { nil }

        func code(_ code: String, by evidence: Evidence) -> VendorCode { VendorCode() }

        func interpret(
            _ document: ScrubbedDocument,
            kind: String,
            context: DocumentContext
        ) throws(Refusal) -> Observation {
            let body = document.value
            let response = Response(code: body["what"]?.string)
            let anomaly = Anomaly(.unknownValue, "what: not a state of this vendor")
            let reader = body["serial"]?.string.map { ReaderReference(vendor: .handpoint, serial: $0) }
            let keys = body["key"]?.string.map {
                [ReferenceKey(vendor: .handpoint, scheme: .vendorTransaction, value: $0)]
            }
            let checkout = CheckoutReference(vendor: .handpoint, digest: "sha256:00")
            return Observation(
                subject: kind == "token"
                    ? .checkout(checkout, [CheckoutEvent(.checkoutTokenIssued, CheckoutReport(checkout: checkout))])
                    : .device(
                        reader,
                        [DeviceEvent(.readerStateChanged, DeviceReport(reader: reader, response: response))],
                        body["what"] == "odd" ? [anomaly] : []
                    ),
                keys: keys ?? [],
                identity: nil,
                occurredAt: nil,
                policy: LifecyclePolicy()
            )
        }
    }

    private static let sender = Sender(tenant: "acme", actor: "key:1", correlation: "c")

    /// Records the records twice: as a window, and one after the other, which must find every one already recorded.
    private static func take(_ records: [String], _ check: @Sendable ([IntakeAnswer]) throws -> Void) async throws {
        try await TestLog.with { log in
            let intake = DocumentIntake(adapters: [Gadget()], recorder: log.recorder())
            async let gathering: Void = intake.run()
            let bytes = records.map { Array($0.utf8) }
            let results = await intake.submit(bytes, limit: 1 << 20, vendor: "handpoint", sender: sender)
            for (record, result) in zip(bytes, results) {
                let again = try await intake.submit(record, vendor: "handpoint", sender: sender)
                #expect(again.isDuplicate)
                #expect(again.positions == (try result.get().positions))
                #expect(again.anomalies == (try result.get().anomalies))
            }
            await intake.close()
            await gathering
            try check(try results.map { try $0.get() })
        }
    }

    @Test("A reader's report is on the reader's stream, or on the payment it names")
    func readers() async throws {
        let records = [
            #"{"kind":"status","body":{"serial":"0123","what":"idle"}}"#,
            #"{"kind":"status","device":"till-1","body":{"what":"idle"}}"#,
            #"{"kind":"status","terminal":"T 1","body":{"what":"idle"}}"#,
            #"{"kind":"status","body":{"what":"odd"}}"#,
            #"{"kind":"status","transaction":"order-1","body":{"serial":"0123","what":"card"}}"#,
            #"{"kind":"status","transaction":"order-1","body":{"serial":"0123","what":"pin"}}"#,
            #"{"kind":"status","body":{"key":"k1","what":"card"}}"#,
        ]
        try await Self.take(records) { answers in
            #expect(answers[0].stream == "reader/handpoint/0123")
            #expect(answers[0].types == ["DocumentReceived", "ReaderStateChanged"])
            #expect(answers[1].stream == "reader/handpoint/till-1")
            #expect(answers[2].stream.hasPrefix("reader/handpoint/sha256:"))
            #expect(answers[3].stream == "reader/handpoint/unidentified")
            #expect(answers[3].anomalies.map(\.kind) == [.unknownValue])
            #expect(answers[4].stream.hasPrefix("transaction/"))
            #expect(answers[5].stream == answers[4].stream)
            #expect(answers[6].stream.hasPrefix("transaction/") && answers[6].stream != answers[4].stream)
        }
    }

    @Test("A document of an unknown kind is kept with the payment of its reference, or with the tenant")
    func unknownKinds() async throws {
        let records = [
            #"{"kind":"nonsense","body":{"pan":"4111111111111111"}}"#,
            #"{"kind":"status","transaction":"order-1","body":{"what":"card"}}"#,
            #"{"kind":"nonsense","transaction":"order-1","body":"text"}"#,
            #"{"kind":"nonsense","body":{"pan":"4111111111111111"}}"#,
            #"{"kind":"token","body":{}}"#,
        ]
        try await Self.take(records) { answers in
            #expect(answers[0].stream == "tenant/acme")
            #expect(answers[0].types == ["DocumentReceived", "AnomalyRaised"])
            #expect(answers[0].anomalies.map(\.kind) == [.unknownKind])
            #expect(answers[0].redactions.map(\.rule) == ["pan"])
            #expect(answers[2].stream == answers[1].stream)
            #expect(answers[2].anomalies.map(\.kind) == [.unknownKind])
            #expect(answers[3].isDuplicate)
            #expect(answers[3].positions == answers[0].positions)
            #expect(answers[4].stream == "checkout/sha256:00")
        }
    }
}
