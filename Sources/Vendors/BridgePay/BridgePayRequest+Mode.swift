import Payments

// The system that the request went to.
extension BridgePayRequest {
    /// Whether the request went to the gateway's test system; nil if that is not known.
    ///
    /// `bridgeCommURL` overrides `testMode` (document 000, lines 517 and 699). The guide names only the host of the
    /// test system: with another URL the request did not go there.
    var isTest: Bool? {
        switch system {
        case .test?: true
        case .other?: mode == true ? nil : mode
        case .unreadable?, nil: mode
        }
    }

    /// A URL that contradicts the mode, or is none.
    var modeAnomalies: [Anomaly] {
        switch (system, mode) {
        case (.test?, false?):
            [Anomaly(.conflictingOutcome, "\(label("bridgeCommURL")) is the test system's, and testMode is NO")]
        case (.other?, true?):
            [Anomaly(.conflictingOutcome, "\(label("bridgeCommURL")) is not the test system's, and testMode is YES")]
        case (.unreadable?, _): [Anomaly(.malformedField, "\(label("bridgeCommURL")) is no URL")]
        default: []
        }
    }

    private var mode: Bool? { try? fields.flag("testmode") }

    private enum System {
        case test, other, unreadable
    }

    /// The domain of the guide's example, line 699.
    private static let testDomain = "bridgepaynetsecuretest.com"

    /// The system that the URL names; nil without a URL.
    private var system: System? {
        guard fields.has("bridgecommurl") else { return nil }
        guard let url = try? fields.text("bridgecommurl"), let host = Self.host(of: url) else { return .unreadable }
        return host == Self.testDomain || host.hasSuffix(".\(Self.testDomain)") ? .test : .other
    }

    /// The host of a URL in lower case; nil for a text that is none.
    private static func host(of url: String) -> String? {
        let text = url.lowercased()
        guard let scheme = ["https://", "http://"].first(where: { text.hasPrefix($0) }) else { return nil }
        let authority = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
        let host = (authority.split(separator: "@").last ?? "").prefix { $0 != ":" }
        return host.isEmpty ? nil : String(host)
    }
}
