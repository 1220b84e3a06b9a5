import Canonical
import Payments
import Redaction
import Vendors

/// Fixtures with some members replaced.
enum BridgePayDocuments {
    static func payment(
        _ name: String,
        response: [String: JSONValue] = [:],
        request: [String: JSONValue] = [:],
        receipt: [String: JSONValue] = [:],
        at: Timestamp? = nil
    ) throws -> Observation {
        let fixture = try VendorFixture.named("bridgepay/\(name)")
        var body = fixture.body
        for (key, value) in response {
            body = DocumentPlaces(path: ["BridgeCommResponse", key]).replacing(in: body, with: value)
        }
        for (key, value) in request {
            body = DocumentPlaces(path: ["BPNPaymentRequest", key]).replacing(in: body, with: value)
        }
        for (key, value) in receipt {
            body = DocumentPlaces(path: ["BPNReceipt", key]).replacing(in: body, with: value)
        }
        return try read(body, as: fixture.kind, at: at)
    }

    /// The same without the request.
    static func answer(_ name: String, _ response: [String: JSONValue] = [:]) throws -> Observation {
        let fixture = try VendorFixture.named("bridgepay/\(name)")
        var body = DocumentPlaces(path: ["BPNPaymentRequest"]).removing(from: fixture.body)
        for (key, value) in response {
            body = DocumentPlaces(path: ["BridgeCommResponse", key]).replacing(in: body, with: value)
        }
        return try read(body, as: fixture.kind)
    }

    /// An error in place of the answer to a sale of 6.75.
    static func error(_ domain: String, _ code: JSONValue) throws -> Observation {
        let fixture = try VendorFixture.named("bridgepay/cancelled-sale")
        let body = DocumentPlaces(path: ["code"]).replacing(in: fixture.body, with: code)
        return try read(DocumentPlaces(path: ["domain"]).replacing(in: body, with: .string(domain)), as: fixture.kind)
    }

    /// A request alone.
    static func request(_ name: String, _ members: [String: JSONValue]) throws -> Observation {
        let fixture = try VendorFixture.named("bridgepay/\(name)")
        var body = fixture.body
        for (key, value) in members { body = DocumentPlaces(path: [key]).replacing(in: body, with: value) }
        return try read(body, as: fixture.kind)
    }

    /// - Parameter namesPayment: Whether the sender names the payment.
    static func read(
        _ body: JSONValue,
        as kind: String,
        at: Timestamp? = nil,
        namesPayment: Bool = true
    ) throws -> Observation {
        let adapter = BridgePayAdapter()
        let document = Scrubber(schema: adapter.redactionSchema(for: kind)).scrub(UnscrubbedDocument(body))
        return try adapter.interpret(
            document,
            kind: kind,
            context: DocumentContext(occurredAt: at, namesPayment: namesPayment)
        )
    }
}

extension Observation {
    /// The device's reports, in any subject.
    var deviceReports: [DeviceEvent] {
        switch subject {
        case .device(_, let events, _): events
        case .transaction(let events): events.compactMap { if case .device(let event) = $0 { event } else { nil } }
        case .batch, .checkout, .unplaced: []
        }
    }

    var details: [Detail] { deviceReports.flatMap { $0.report.details ?? [] } }
}
