import Canonical
import Payments

/// One HTTP request to a gateway, complete but for the gateway's address.
struct WireRequest: Sendable, Hashable {
    enum Method: String, Sendable, Hashable {
        case get = "GET"
        case post = "POST"
    }

    var method: Method
    /// Appended to the path of the configured URL, with the query; begins with `/`, or is empty.
    var path: String
    var headers: [Header]
    /// Nil exactly for `get`.
    var body: [UInt8]?
    /// True for what only asks, where that has an address of its own.
    var isQuestion = false

    struct Header: Sendable, Hashable {
        var name: String
        var value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }
}

/// An HTTP answer, read to its end.
struct WireResponse: Sendable, Hashable {
    var status: Int
    /// In lower case, without parameters.
    var contentType: String?
    var body: [UInt8]

    init(status: Int, contentType: String? = nil, body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }
}

/// What became of a request.
enum WireOutcome: Sendable, Hashable {
    case notSent(GatewayFailure)
    case unanswered(GatewayFailure)
    case response(WireResponse)
}

/// How requests get to a gateway.
protocol WireTransport: Sendable {
    /// How long sending can take, with the answer.
    var longestMilliseconds: Int64 { get }
    /// Sends once, and never again.
    ///
    /// - Parameter deadline: Then it is over, and nothing is sent that could not be answered by then.
    func send(_ request: WireRequest, by deadline: ContinuousClock.Instant) async -> WireOutcome
}

/// How one vendor is spoken with: requests and answers, pure.
protocol WireDialect: Sendable {
    var vendor: Vendor { get }
    /// The one account it serves; nil where it is not bound to one.
    var merchantAccount: String? { get }
    func support(for operation: GatewayOperation) -> GatewaySupport
    /// Whether what it makes is paid with the card that is presented next.
    var takesPresentedCards: Bool { get }
    /// How many characters a call's reference may have.
    var longestReference: Int { get }
    /// The request, byte for byte the same for the same call at the same time.
    ///
    /// - Throws: `incomplete` where the call lacks something.
    func request(for call: GatewayCall, at now: Timestamp) throws(GatewayFailure) -> WireRequest
    /// What an answer with a status of success, or of a wrong request, says.
    ///
    /// - Throws: Why it cannot be read; then nobody knows what was done.
    func answer(_ response: WireResponse, to call: GatewayCall, at now: Timestamp) throws(GatewayFailure)
        -> GatewayAnswer
}

extension WireDialect {
    var merchantAccount: String? { nil }
    var takesPresentedCards: Bool { false }

    var longestReference: Int { 50 }
}
