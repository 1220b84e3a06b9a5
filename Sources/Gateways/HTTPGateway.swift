import Canonical
package import Payments
import Vendors

/// A gateway over HTTP: a dialect and a transport behind a gate.
package struct HTTPGateway: PaymentGateway {
    package let name: String
    private let dialect: any WireDialect
    private let transport: any WireTransport
    private let gate: GatewayGate
    private let clock: any WallClock

    init(
        name: String,
        dialect: any WireDialect,
        transport: any WireTransport,
        gate: GatewayGate,
        clock: any WallClock
    ) {
        self.name = name
        self.dialect = dialect
        self.transport = transport
        self.gate = gate
        self.clock = clock
    }

    package var vendor: Vendor { dialect.vendor }

    package func support(for operation: GatewayOperation) -> GatewaySupport { dialect.support(for: operation) }

    package func findsByReference(_ operation: GatewayOperation) -> Bool { dialect.findsByReference(operation) }

    package var takesPresentedCards: Bool { dialect.takesPresentedCards }

    package var longestReference: Int { dialect.longestReference }

    package var longestCallMilliseconds: Int64 { gate.longestWaitMilliseconds + transport.longestMilliseconds }

    package func call(_ call: GatewayCall, by deadline: ContinuousClock.Instant) async -> GatewayOutcome {
        if case .unsupported(let reason) = support(for: call.operation) {
            return .notSent(GatewayFailure(.unsupported, reason))
        }
        let request: WireRequest
        do throws(GatewayFailure) {
            try Self.check(call)
            request = try dialect.request(for: call, at: clock.now())
        } catch {
            return .notSent(error)
        }
        let pass: GatewayGate.Pass
        do throws(GatewayFailure) {
            pass = try await gate.enter()
        } catch {
            return .notSent(error)
        }
        let sent = await transport.send(request, by: deadline)
        let outcome = read(sent, to: call)
        await gate.leave(pass, GateResult(outcome))
        return outcome
    }

    /// References are used in XML, JSON and paths, and must be easy to compare for operators.
    private static func check(_ call: GatewayCall) throws(GatewayFailure) {
        guard (1...50).contains(call.reference.utf8.count), call.reference.utf8.allSatisfy(isReferenceByte) else {
            throw GatewayFailure(.incomplete, "A reference has 1 to 50 letters, digits, hyphens and underscores.")
        }
        if let amount = call.amount, amount.value < 0 {
            throw GatewayFailure(.incomplete, "An amount has no sign.")
        }
        if let tip = call.tip {
            guard let amount = call.amount, amount.currency == tip.currency, (0...amount.value).contains(tip.value)
            else {
                throw GatewayFailure(.incomplete, "A tip is a part of the amount, in its currency.")
            }
        }
    }

    private static func isReferenceByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == 0x2D || byte == 0x5F
    }

    private func read(_ sent: WireOutcome, to call: GatewayCall) -> GatewayOutcome {
        switch sent {
        case .notSent(let failure): return .notSent(failure)
        case .unanswered(let failure): return .unanswered(failure)
        case .response(let response):
            switch response.status {
            case 200...299: break
            case 300...399:
                return .unanswered(GatewayFailure(.redirected, "The gateway sends elsewhere, which is not followed."))
            case 500...599:
                return .unanswered(GatewayFailure(.serverError, "The gateway answered with HTTP \(response.status)."))
            // A gateway may explain a refusal in its own format.
            case 400...499:
                do throws(GatewayFailure) {
                    return .answered(try checked(try dialect.answer(response, to: call, at: clock.now())))
                } catch {
                    return refusal(response.status, of: call)
                }
            default:
                return .unanswered(
                    GatewayFailure(.unexpectedStatus, "The gateway answered with HTTP \(response.status).")
                )
            }
            do throws(GatewayFailure) {
                return .answered(try checked(try dialect.answer(response, to: call, at: clock.now())))
            } catch {
                return .unanswered(error)
            }
        }
    }

    /// Recording an answer ingests its document, so an answer with an unreadable document counts as malformed.
    private func checked(_ answer: GatewayAnswer) throws(GatewayFailure) -> GatewayAnswer {
        guard let document = answer.document else { return answer }
        do throws(Refusal) {
            _ = try VendorAdapters.adapter(of: document.vendor)
                .interpret(document.scrubbed, kind: document.kind, context: document.context)
        } catch {
            throw GatewayFailure(.malformed, "The answer has something in it that cannot be read.")
        }
        return answer
    }

    /// A query refused without an explanation is refused. If money can move, the sender of the refusal is uncertain: a
    /// proxy may stop waiting while the gateway is still processing.
    private func refusal(_ status: Int, of call: GatewayCall) -> GatewayOutcome {
        guard !call.operation.canMoveMoney, status != 408, status != 429 else {
            return .unanswered(GatewayFailure(.unexpectedStatus, "The gateway answered with HTTP \(status)."))
        }
        return .answered(
            GatewayAnswer(
                verdict: .refused(code: "http-\(status)"),
                response: Response(code: "http-\(status)", message: "The gateway refuses the request.")
            )
        )
    }
}
