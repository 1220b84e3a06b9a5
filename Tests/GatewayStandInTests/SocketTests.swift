import Canonical
import DaybookTestKit
import Foundation
import ServiceLifecycle
import Simulator
import Testing

@testable import GatewayStandIn

@Suite("Sockets of the stand-ins")
struct SocketTests {
    @Test("A connection serves one request after the other, for every gateway")
    func serving() async throws {
        try await withStandIn { standIn in
            let client = try await standIn.connect(.bridgepay)
            try await client.send(Wire.sale("t1", invoice: "A") + Wire.sale("t2", invoice: "B"))
            let first = try Wire.fields(try await client.readResponse())
            let second = try Wire.fields(try await client.readResponse())
            #expect(first["root"] == "Auth")
            #expect(first["GatewayMessage"] == "A01 - Approved")
            #expect(first["TransactionID"] == "t1" && second["TransactionID"] == "t2")
            #expect(first["GatewayTransID"] != second["GatewayTransID"])

            let spin = try Wire.json(
                try await standIn.ask(.dejavoo, Wire.spin("Sale", #""ReferenceId":"r","Amount":5.25"#))
            )
            #expect(spin["GeneralResponse"]?["StatusCode"]?.string == "0000")
            let token = #""amount":"1250","cardToken":"CE268D77935FDBF3F9C72E8894A1F410""#
            let sold = try Wire.json(try await standIn.ask(.ipos, Wire.transact(1, "a", token)))
            #expect(sold["iposTransactResponse"]?["responseCode"]?.int64 == 200)
            let asked = try Wire.json(
                try await standIn.ask(
                    .ipos,
                    Wire.post(
                        "/api/v1/iposTransactStatus",
                        #"{"merchantId":"139322815010","transactionReferenceId":"a"}"#,
                        fields: "token: any\r\n"
                    )
                )
            )
            #expect(asked["iposTransactResponse"]?["rrn"] == sold["iposTransactResponse"]?["rrn"])
            #expect(try await standIn.ask(.handpoint, Wire.terminalSale(1_500)).status == 202)
            let status = try Wire.json(try await standIn.ask(.handpoint, Wire.status))
            #expect(status["finStatus"]?.string == "AUTHORISED")
            #expect(await standIn.payments.count == 5)
        }
    }

    @Test("The books are available beside the interface")
    func books() async throws {
        try await withStandIn { standIn in
            _ = try await standIn.ask(.bridgepay, Wire.sale())
            let lines = try await standIn.ask(.bridgepay, Wire.get("/standin/books")).body.split(separator: "\n")
            #expect(lines.count == 1)
            #expect(lines.first?.contains("4111111111111111") == false)
            #expect(try await standIn.ask(.ipos, Wire.get("/standin/books")).body.isEmpty)
            let settled = try Wire.json(try await standIn.ask(.bridgepay, Wire.post("/standin/settle", "")))
            #expect(settled["settled"]?.array?.count == 1)
            let summary = try Wire.json(try await standIn.ask(.bridgepay, Wire.get("/standin/summary")))
            #expect(summary["totals"]?[0]?["charged"]?.int64 == 1_250)
            #expect(summary["doubleCharges"]?.array?.isEmpty == true)
            #expect(await standIn.payments.first?.isSettled == true)
        }
    }

    @Test("An answer larger than the socket's buffers arrives whole before its connection is closed")
    func large() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/books.ndjson"
            try await withStandIn(books: path) { _ = try await $0.ask(.bridgepay, Wire.sale()) }
            let line = try #require(
                try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").first {
                    $0.contains(#""payment""#)
                }
            )
            let id = try #require(try JSONValue(parsing: line.utf8)["id"]?.string)
            let lines = (0..<20_000).map { line.replacing(id, with: "\(1_000_000 + $0)") }
            try Data(lines.joined(separator: "\n").appending("\n").utf8).write(to: URL(filePath: path))
            try await withStandIn(books: path) { standIn in
                let books = try await standIn.ask(
                    .bridgepay,
                    Wire.get("/standin/books", fields: "Connection: close\r\n")
                )
                #expect(books.body.split(separator: "\n").count == lines.count)
            }
        }
    }

    @Test("It listens on the loopback interface only")
    func loopback() async throws {
        let keeper = try await Bookkeeper(options: GatewayOptions(), path: nil)
        let routes = GatewayRoutes(gateway: .bridgepay, keeper: keeper)
        let server = try await StandInServer.listen(port: 0, routes: routes, slowness: .zero)
        #expect(server.host == "127.0.0.1")
        // A port in use is reported.
        let standIn = StandIn(StandIn.Configuration(ports: [.ipos: server.port]), keeper: keeper)
        let problem = await #expect(throws: PortProblem.self) { try await standIn.run() }
        #expect(problem?.reason == "Address already in use")
        try await server.close()
    }

    @Test("Connections beyond the limit are served in turn")
    func crowd() async throws {
        try await withStandIn { standIn in
            let ids = try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<150 {
                    group.addTask {
                        // Ends its connection, so that the next one is accepted.
                        let sale = Wire.sale("t\(number)", invoice: "I\(number)")
                            .replacing("Host: localhost", with: "Host: localhost\r\nConnection: close")
                        return try Wire.fields(try await standIn.ask(.bridgepay, sale))["GatewayTransID"]
                    }
                }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(ids.count == 150)
            #expect(await standIn.payments.count == 150)
        }
    }

    // MARK: Invalid requests

    private static let account = """
        <requestHeader><TransactionID>t</TransactionID><RequestType>011</RequestType><User>u</User>\
        <Password>p</Password><requestMessage><MerchantCode>1</MerchantCode>\
        <MerchantAccountCode>2</MerchantAccountCode></requestMessage></requestHeader>
        """

    @Test(
        "An invalid BridgeComm request is answered with a SOAP fault",
        arguments: [
            Wire.envelope("*no base64*"), Wire.envelope(Data("no xml".utf8).base64EncodedString()),
            Wire.envelope(Data("<other/>".utf8).base64EncodedString()), "<Envelope/>", "", "no xml",
            // Well-formed requests that would be accepted without their document type.
            "<!DOCTYPE x [<!ENTITY a 'aaaa'>]>" + Wire.envelope(Wire.base64(Self.account)),
            Wire.envelope(Wire.base64("<!DOCTYPE x [<!ENTITY a 'aaaa'>]>" + Self.account)),
            String(repeating: "<a>", count: 400) + String(repeating: "</a>", count: 400),
        ]
    )
    func soapFaults(body: String) async throws {
        try await withStandIn { standIn in
            let good = Wire.post(
                "/PaymentService/RequestHandler.svc",
                Wire.envelope(Wire.base64(Self.account)),
                fields: Wire.action
            )
            #expect(try await standIn.ask(.bridgepay, good).status == 200)
            let request = Wire.post("/PaymentService/RequestHandler.svc", body, fields: Wire.action)
            let answer = try await standIn.ask(.bridgepay, request)
            #expect(answer.status == 500)
            #expect(answer.body.contains("<faultcode>s:Client</faultcode>"))
            #expect(await standIn.payments.isEmpty)
        }
    }

    @Test("Methods that an interface does not have are refused")
    func refused() async throws {
        try await withStandIn { standIn in
            let svc = "/PaymentService/RequestHandler.svc"
            #expect(try await standIn.ask(.bridgepay, Wire.get(svc)).status == 405)
            #expect(try await standIn.ask(.bridgepay, Wire.get("/other")).status == 404)
            #expect(try await standIn.ask(.bridgepay, Wire.post(svc, Wire.envelope(""))).status == 500, "no SOAPAction")
            #expect(try await standIn.ask(.handpoint, Wire.get("/transactions/\(Wire.reference)/status")).status == 401)
            #expect(try await standIn.ask(.dejavoo, Wire.post("/v2/Payment/Sale", "[")).status == 400)
            #expect(try await standIn.ask(.dejavoo, Wire.get("/v2/Payment/Sale")).status == 405)
            #expect(try await standIn.ask(.ipos, Wire.post("/api/v3/iposTransact", "{}")).status == 401)
            #expect(try await standIn.ask(.ipos, Wire.terminalSale(100)).status == 404)
            let large = Wire.post(svc, String(repeating: "x", count: (1 << 18) + 1), fields: Wire.action)
            let client = try await standIn.connect(.bridgepay)
            await client.sendAnyway(large)
            #expect(try await client.readResponse().status == 413)
            let stranger = try await standIn.connect(.bridgepay)
            try await stranger.send("\u{1}\u{2}\r\n\r\n")
            #expect(try await stranger.readToEnd().contains("400 Bad Request"))
        }
    }

    // MARK: Shutdown

    @Test("A graceful shutdown closes idle connections and answers the requests already read")
    func shutdown() async throws {
        try await withStandIn(faults: "slow=100", slowness: .seconds(1)) { standIn in
            let idle = try await standIn.connect(.ipos)
            let busy = try await standIn.connect(.bridgepay)
            try await busy.send(Wire.sale())
            while await standIn.payments.isEmpty { await Task.yield() }
            await standIn.group.triggerGracefulShutdown()
            #expect(try await idle.isClosed())
            #expect(try Wire.fields(try await busy.readResponse())["GatewayMessage"] == "A01 - Approved")
            #expect(try await busy.isClosed())
        }
    }
}
