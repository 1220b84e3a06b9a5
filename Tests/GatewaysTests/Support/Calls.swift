import Canonical
import Foundation
import Payments
import Vendors

@testable import Gateways

/// A transport with a fixed outcome, which records its requests.
actor ScriptedTransport: WireTransport {
    private let outcome: WireOutcome
    private(set) var requests: [WireRequest] = []

    init(_ outcome: WireOutcome) {
        self.outcome = outcome
    }

    nonisolated var longestMilliseconds: Int64 { 1_000 }

    func send(_ request: WireRequest, by deadline: ContinuousClock.Instant) async -> WireOutcome {
        requests.append(request)
        return outcome
    }
}

enum Known {
    static let now = Timestamp(rfc3339: "2026-03-01T12:30:45.678901Z") ?? .earliest
    static let password = "57!sE@3Fm&<>"
    static let apiKey = "MeRcHaNt-ApIkEy"
    static let authKey = "zbhRAW9N6x"
    static let authToken = "eyJhbGciOi.J9"
    static let cardToken = "11110000000001111"

    static func secret(_ text: String) -> Secret { Secret(text) ?? unreachable("no secret is empty here") }

    private static func unreachable(_ why: String) -> Secret { fatalError(why) }

    static let bridgecomm = BridgeCommDialect(
        account: BridgeCommAccount(
            credentials: .user("emvpgtest", password: secret(password)),
            merchantCode: "320000",
            merchantAccountCode: "320001",
            industry: "RE",
            software: "Daybook"
        )
    )
    static let handpoint = HandpointCloudDialect(apiKey: secret(apiKey))
    static let spin = SpinDialect(tpn: "Z11NATASHA98", authKey: secret(authKey))
    static let transact = TransactDialect(tpn: "816012345678", authToken: secret(authToken))

    static func usd(_ minor: Int64) -> Money { Money(minor, .usd) }

    static func body(_ dialect: some WireDialect, _ call: GatewayCall) throws -> String {
        String(decoding: try dialect.request(for: call, at: now).body ?? [], as: UTF8.self)
    }
}

/// Answers in the form that gateways send.
enum Answers {
    static func bridgecomm(_ message: String, root: String = "Auth", header: String = "") -> [UInt8] {
        soap(Array("<\(root)><responseMessage>\(message)</responseMessage>\(header)</\(root)>".utf8))
    }

    static func soap(_ xml: [UInt8]) -> [UInt8] { soap(encoded: Data(xml).base64EncodedString()) }

    static func soap(encoded: String) -> [UInt8] {
        Array(
            (#"<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>"#
                + #"<ProcessRequestResponse xmlns="http://bridgepaynetsecuretx.com/requesthandler">"#
                + "<ProcessRequestResult>\(encoded)</ProcessRequestResult></ProcessRequestResponse></s:Body></s:Envelope>")
                .utf8
        )
    }

    static func element(_ name: String, _ text: String) -> String { "<\(name)>\(text)</\(name)>" }

    /// An answer with these codes.
    static func coded(_ message: String?, _ result: String?, more: String = "") -> [UInt8] {
        bridgecomm(
            (message.map { element("GatewayMessage", $0) } ?? "") + (result.map { element("GatewayResult", $0) } ?? "")
                + more
        )
    }

    static func json(_ text: String) -> WireResponse {
        WireResponse(status: 200, contentType: "application/json", body: Array(text.utf8))
    }
}

extension WireDialect {
    func verdict(of body: [UInt8], to call: GatewayCall) throws -> GatewayAnswer.Verdict {
        try answer(WireResponse(status: 200, body: body), to: call, at: Known.now).verdict
    }
}

extension GatewayDocument {
    /// The adapter's reading of the document.
    func observation() throws -> Observation {
        let adapter = VendorAdapters.all.first { $0.vendor == vendor }
        guard let adapter else { throw Refusal(.unknownKind, "no adapter") }
        return try adapter.interpret(scrubbed, kind: kind, context: context)
    }

    func eventTypes() throws -> [String] {
        guard case .transaction(let events) = try observation().subject else { return [] }
        return events.map(\.type)
    }
}
