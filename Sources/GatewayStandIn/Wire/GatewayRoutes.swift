import Canonical
import Simulator

/// The interface of one gateway: passes HTTP requests to the handler and returns its answers.
struct GatewayRoutes: Sendable {
    let gateway: StandInGateway
    let keeper: Bookkeeper

    func reply(to request: StandInRequest) async -> StandInReply {
        do {
            if request.path.hasPrefix("/standin/") { return try await control(request) }
            switch gateway {
            case .bridgepay: return try await bridgeComm(request)
            case .handpoint: return try await handpoint(request)
            case .dejavoo: return try await spin(request)
            case .ipos: return try await transact(request)
            }
        } catch {
            // The books could not be written: the client does not learn the result.
            return .text(500, "The books cannot be written.\n")
        }
    }

    // MARK: BridgeComm

    private func bridgeComm(_ request: StandInRequest) async throws -> StandInReply {
        guard request.path.hasSuffix(BridgeCommWire.path) else { return .text(404, "There is no such service.\n") }
        guard request.method == "POST" else { return .text(405, "POST is expected.\n") }
        func refused(_ reason: String) -> StandInReply {
            StandInReply(status: 500, contentType: "text/xml", body: BridgeCommWire.fault("s:Client", reason))
        }
        let action = request.fields["soapaction"]?.filter { $0 != "\"" }
        guard action == BridgeCommWire.action else { return refused("The SOAPAction is not ProcessRequest.") }
        let call: BridgeCommRequest
        do throws(BridgeCommWire.Malformed) {
            call = try BridgeCommWire.request(in: request.body)
        } catch {
            return refused(error.reason)
        }
        let served = try await keeper.take { $0.take(call, at: $1) }
        guard let answer = served.answer else { return Self.unanswered(served.fault) }
        let body = BridgeCommWire.envelope(answer, served.fault)
        return Self.planned(StandInReply(contentType: "text/xml; charset=utf-8", body: body), served.fault)
    }

    // MARK: Handpoint

    private func handpoint(_ request: StandInRequest) async throws -> StandInReply {
        let parts = request.path.split(separator: "/").map(String.init)
        guard (3...4).contains(parts.count), parts[0] == "transactions", parts[2] == "status" else {
            return .text(404, "There is no such resource.\n")
        }
        guard request.method == "GET" else { return .text(405, "GET is expected.\n") }
        guard let key = request.fields["apikeycloud"], !key.isEmpty else {
            return Self.json(401, ["error": ["statusCode": 401, "name": "UnauthorizedError"]], nil)
        }
        let selector = parts.count == 4 ? parts[3] : nil
        let served = try await keeper.take { $0.take(handpointStatus: parts[1], selector: selector, at: $1) }
        guard let answer = served.answer else { return Self.unanswered(served.fault) }
        return Self.json(answer.status, answer.body, served.fault)
    }

    // MARK: Dejavoo

    private func spin(_ request: StandInRequest) async throws -> StandInReply {
        guard let method = request.path.split(separator: "/").last.map(String.init),
            request.path.hasSuffix("/v2/Payment/\(method)")
        else { return .text(404, "There is no such method.\n") }
        guard request.method == "POST" else { return .text(405, "POST is expected.\n") }
        guard let body = Self.object(request.body) else { return .text(400, "The body is no JSON object.\n") }
        let served = try await keeper.take { $0.take(spin: method, body, at: $1) }
        return served.answer.map { Self.json(200, $0, served.fault) } ?? Self.unanswered(served.fault)
    }

    private func transact(_ request: StandInRequest) async throws -> StandInReply {
        let isStatus = request.path.hasSuffix("/iposTransactStatus")
        guard isStatus || request.path.hasSuffix("/iposTransact") else {
            return .text(404, "There is no such method.\n")
        }
        guard request.method == "POST" else { return .text(405, "POST is expected.\n") }
        guard let token = request.fields["token"], !token.isEmpty else {
            return Self.json(401, ["errorCode": "AUTH_ERR_006", "errorMessage": "Invalid token"], nil)
        }
        guard let body = Self.object(request.body) else { return .text(400, "The body is no JSON object.\n") }
        let served = try await keeper.take {
            isStatus ? $0.take(transactStatus: body, at: $1) : $0.take(transact: body, at: $1)
        }
        return served.answer.map { Self.json(200, $0, served.fault) } ?? Self.unanswered(served.fault)
    }

    // MARK: Control of the stand-in

    /// Routes that no gateway has: its books, its nightly settlement, and the sales at the terminals behind it.
    private func control(_ request: StandInRequest) async throws -> StandInReply {
        switch (request.method, request.path) {
        case ("GET", "/standin/books"):
            let lines = try await keeper.read { books in
                var lines: [UInt8] = []
                for payment in books.payments where payment.gateway == gateway {
                    try BookEntry.payment(payment).append(to: &lines)
                }
                return lines
            }
            return StandInReply(contentType: "application/x-ndjson", body: lines)
        case ("GET", "/standin/summary"):
            return Self.json(200, try await keeper.read { try $0.summary(of: gateway) }, nil)
        case ("POST", "/standin/settle"):
            let settled = try await keeper.take { handler, _ in handler.settleAll(at: gateway) }
            return Self.json(200, ["settled": .array(settled.map { .string($0.id) })], nil)
        case ("POST", "/standin/payments") where gateway == .handpoint:
            guard let order = Self.object(request.body) else { return .text(400, "The body is no JSON object.\n") }
            let answer = try await keeper.take { $0.sell(order, at: $1) }
            return Self.json(answer.status, answer.body, nil)
        default: return .text(404, "The stand-in has no such resource.\n")
        }
    }

    // MARK: Replies

    private static func object(_ bytes: [UInt8]) -> JSONObject? { (try? JSONValue(parsing: bytes))?.object }

    private static func json(_ status: Int, _ value: JSONValue, _ fault: PlannedFault?) -> StandInReply {
        var body = value.canonicalBytes
        if let fault, fault.fault == .malformed {
            body.removeLast(body.count - max(1, body.count * fault.cutPercent / 100))
        }
        return planned(StandInReply(status: status, body: body), fault)
    }

    /// The reply to a call that is in the books.
    private static func planned(_ reply: StandInReply, _ fault: PlannedFault?) -> StandInReply {
        var reply = reply
        if fault?.fault == .failAfter { reply = .text(500, "Internal Server Error\n") }
        reply.fault = fault
        return reply
    }

    /// The reply to a call that is not in the books.
    private static func unanswered(_ fault: PlannedFault?) -> StandInReply {
        var reply = StandInReply.text(503, "Service Unavailable\n")
        reply.fault = fault
        return reply
    }
}
