import Canonical
import DaybookTestKit
import Foundation
import Logging
import ServiceLifecycle
import Simulator
import Testing
import XML

@testable import GatewayStandIn

struct RunningStandIn: Sendable {
    let ports: [StandInGateway: Int]
    let keeper: Bookkeeper
    let group: ServiceGroup

    func connect(_ gateway: StandInGateway) async throws -> RawClient {
        try await RawClient.connect(port: try #require(ports[gateway]))
    }

    /// Sends a request on a new connection.
    func ask(_ gateway: StandInGateway, _ request: String) async throws -> RawResponse {
        let client = try await connect(gateway)
        try await client.send(request)
        return try await client.readResponse()
    }

    var payments: [BookedPayment] { get async { await keeper.read { $0.payments } } }
}

/// Runs a stand-in of every gateway, and stops it.
func withStandIn<Result: Sendable>(
    faults: String = "none",
    books: String? = nil,
    slowness: Duration = .zero,
    clock: any WallClock = SystemClock(),
    _ body: @escaping @Sendable (RunningStandIn) async throws -> Result
) async throws -> Result {
    let options = GatewayOptions(seed: 7, faults: try GatewayFaultProfile(parsing: faults))
    let keeper = try await Bookkeeper(options: options, path: books, clock: clock)
    var configuration = StandIn.Configuration(
        ports: Dictionary(uniqueKeysWithValues: StandInGateway.allCases.map { ($0, 0) })
    )
    configuration.options = options
    configuration.slowness = slowness
    let (listening, listens) = AsyncStream.makeStream(of: [StandInGateway: Int].self)
    let standIn = StandIn(configuration, keeper: keeper) { listens.yield($0) }
    let group = ServiceGroup(
        configuration: .init(
            services: [.init(service: standIn)],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    )
    let serving = Task { try await group.run() }
    var ports: [StandInGateway: Int] = [:]
    for await reported in listening {
        ports = reported
        break
    }
    do {
        let result = try await body(RunningStandIn(ports: ports, keeper: keeper, group: group))
        await group.triggerGracefulShutdown()
        try await serving.value
        await keeper.close()
        return result
    } catch {
        await group.triggerGracefulShutdown()
        try await serving.value
        await keeper.close()
        throw error
    }
}

/// Requests as bytes on the wire.
enum Wire {
    static func post(_ path: String, _ body: String, fields: String = "") -> String {
        "POST \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    static func get(_ path: String, fields: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
    }

    static let action = "SOAPAction: \"\(BridgeCommWire.action)\"\r\nContent-Type: text/xml\r\n"

    static func envelope(_ argument: String) -> String {
        """
        <soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" \
        xmlns:req="http://bridgepaynetsecuretx.com/requesthandler"><soapenv:Header/><soapenv:Body>\
        <req:ProcessRequest><req:requestMsg>\(argument)</req:requestMsg></req:ProcessRequest>\
        </soapenv:Body></soapenv:Envelope>
        """
    }

    static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    /// A request of BridgeComm, as an integrator writes it.
    static func bridgeComm(_ type: String, _ id: String, _ message: KeyValuePairs<String, String>) -> String {
        let elements = message.map { "<\($0.key)>\($0.value)</\($0.key)>" }.joined()
        let document = """
            <?xml version="1.0" encoding="utf-16"?><requestHeader><ClientIdentifier>SOAP</ClientIdentifier>\
            <TransactionID>\(id)</TransactionID><RequestType>\(type)</RequestType>\
            <RequestDateTime>20260102030405</RequestDateTime><User>user</User><Password>secret</Password>\
            <requestMessage><MerchantCode>320000</MerchantCode><MerchantAccountCode>320001</MerchantAccountCode>\
            \(elements)</requestMessage></requestHeader>
            """
        return post("/PaymentService/RequestHandler.svc", envelope(base64(document)), fields: action)
    }

    static func sale(_ id: String = "t1", _ cents: Int = 1_250, invoice: String = "INV1") -> String {
        bridgeComm(
            "004",
            id,
            [
                "TransactionType": "sale", "Amount": "\(cents)", "InvoiceNum": invoice,
                "PaymentAccountNumber": "4111111111111111",
            ]
        )
    }

    static func spin(_ method: String, _ members: String) -> String {
        let keys = #""PaymentType":"Credit","Tpn":"Z11NATASHA98","Authkey":"zbhRAW9N6x""#
        return post("/v2/Payment/\(method)", "{\(members.isEmpty ? "" : members + ",")\(keys)}")
    }

    static func transact(_ type: Int, _ reference: String, _ members: String) -> String {
        post(
            "/api/v3/iposTransact",
            """
            {"merchantAuthentication":{"merchantId":"139322815010","transactionReferenceId":"\(reference)"},\
            "transactionRequest":{"transactionType":\(type),\(members)}}
            """,
            fields: "token: any\r\n"
        )
    }

    static let reference = "3e665342-a95b-49c1-b6fe-b3f102305a76"

    static func terminalSale(_ amount: Int) -> String {
        post("/standin/payments", #"{"transactionReference":"\#(reference)","amount":\#(amount),"currency":"EUR"}"#)
    }

    static let status = get("/transactions/\(reference)/status", fields: "ApiKeyCloud: any\r\n")

    // MARK: Answers

    /// The text within `ProcessRequestResult`.
    static func result(_ response: RawResponse) throws -> String {
        let envelope = try XMLTree(parsing: response.bytes)
        return try #require(envelope.at("Body", "ProcessRequestResponse", "ProcessRequestResult")).value
    }

    /// The document within an answer of BridgeComm.
    static func document(_ response: RawResponse) throws -> [UInt8] {
        Array(try #require(Data(base64Encoded: try result(response))))
    }

    /// The elements of an answer's document by name, including those of `responseMessage`.
    static func fields(_ response: RawResponse) throws -> [String: String] {
        let root = try XMLTree(parsing: try document(response))
        var fields = ["root": root.name]
        for element in root.children + (root["responseMessage"]?.children ?? []) where element.children.isEmpty {
            fields[element.name] = element.value
        }
        return fields
    }

    static func json(_ response: RawResponse) throws -> JSONValue { try JSONValue(parsing: response.bytes) }
}
