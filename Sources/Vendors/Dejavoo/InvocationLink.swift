import Canonical
import Payments

/// The link that the SDK made to open iPOSgo, as `didReceiveV2Response(success:)` and `didReceiveResponse(success:)`
/// send it to the app: the request is on its way. Its query is internal to the SDK; the document keeps it.
struct InvocationLink {
    let scheme: String

    /// Nil if the value is not a link.
    init?(_ value: JSONValue, _ kind: DejavooKind) {
        guard [.didReceiveV2Response, .didReceiveResponse].contains(kind) else { return nil }
        let text = value.string ?? value["success"]?.string
        guard let text, let end = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<end.lowerBound]
        let isScheme = scheme.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || [0x2B, 0x2D, 0x2E].contains(byte)
        }
        guard (1...64).contains(scheme.utf8.count), isScheme else { return nil }
        self.scheme = String(scheme)
    }

    func observation(context: DocumentContext) -> Observation {
        let report = DeviceReport(
            reader: .dejavoo(context.terminal),
            details: [.init("scheme", scheme)],
            at: context.reportedTime
        )
        return Observation(
            subject: .device(.dejavoo(context.terminal), [DeviceEvent(.commandSent, report)], []),
            keys: [],
            identity: nil,
            occurredAt: nil,
            policy: DejavooTransaction.policy
        )
    }
}

/// A callback without its value: the SDK's parameters are optional (document 003, @4435). It shows that the SDK
/// answered, and nothing else.
enum EmptyCallback {
    /// The observation; nil if the callback has a value.
    static func observation(_ value: JSONValue, _ kind: DejavooKind, context: DocumentContext) -> Observation? {
        let parameter: String
        switch kind {
        case .didReceiveV2Response, .didReceiveResponse: parameter = "success"
        case .didReceiveTransactionResponse: parameter = "res"
        default: return nil
        }
        let isAlone = value.object.map { $0.count == 1 } ?? false
        guard value == .null || isAlone && value[parameter] == .null else { return nil }
        let report = DeviceReport(
            reader: .dejavoo(context.terminal),
            response: Response(code: kind.rawValue),
            details: [Detail(parameter, "nil")],
            at: context.reportedTime
        )
        return Observation(
            subject: .device(.dejavoo(context.terminal), [DeviceEvent(.readerErrorReported, report)], []),
            keys: [],
            identity: nil,
            occurredAt: nil,
            policy: DejavooTransaction.policy
        )
    }
}
