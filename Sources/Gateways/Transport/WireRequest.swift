import Canonical
import Payments

/// One HTTP request to a gateway, complete except for the gateway's address.
struct WireRequest: Sendable, Hashable {
    enum Method: String, Sendable, Hashable {
        case get = "GET"
        case post = "POST"
    }

    var method: Method
    /// Appended to the path of the configured URL, with the query; begins with `/`, or is empty.
    var path: String
    var headers: [Header]
    /// Nil only for `get`.
    var body: [UInt8]?
    /// True for a query, if queries have a separate endpoint.
    var isQuery = false

    struct Header: Sendable, Hashable {
        var name: String
        var value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }
}

/// A complete HTTP answer.
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

enum WireOutcome: Sendable, Hashable {
    case notSent(GatewayFailure)
    case unanswered(GatewayFailure)
    case response(WireResponse)
}

protocol WireTransport: Sendable {
    /// The maximum duration of sending, including the answer.
    var longestMilliseconds: Int64 { get }
    /// Sends the request once and never again.
    ///
    /// - Parameter deadline: The end of the call. Nothing is sent that could not be answered by then.
    func send(_ request: WireRequest, by deadline: ContinuousClock.Instant) async -> WireOutcome
}

/// One vendor's format of requests and answers; pure.
protocol WireDialect: Sendable {
    var vendor: Vendor { get }
    func support(for operation: GatewayOperation) -> GatewaySupport
    /// Whether a query finds a call of this operation by the reference that Daybook gave it.
    func findsByReference(_ operation: GatewayOperation) -> Bool
    /// Whether its payments are made with the card presented next.
    var takesPresentedCards: Bool { get }
    /// The maximum number of characters in a call's reference.
    var longestReference: Int { get }
    /// The request, byte for byte the same for the same call at the same time.
    ///
    /// - Throws: `incomplete` if the call lacks a required value.
    func request(for call: GatewayCall, at now: Timestamp) throws(GatewayFailure) -> WireRequest
    /// The meaning of an answer with an HTTP status of success or of a wrong request.
    ///
    /// - Throws: The reason why it cannot be read; it is then unknown whether the gateway acted.
    func answer(_ response: WireResponse, to call: GatewayCall, at now: Timestamp) throws(GatewayFailure)
        -> GatewayAnswer
}

extension WireDialect {
    var takesPresentedCards: Bool { false }
    func findsByReference(_ operation: GatewayOperation) -> Bool { false }

    var longestReference: Int { 50 }
}
