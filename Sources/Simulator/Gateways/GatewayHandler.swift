package import Canonical

/// How stand-ins of gateways behave.
package struct GatewayOptions: Sendable, Hashable {
    /// Where chance begins.
    package var seed: UInt64
    package var faults: GatewayFaultProfile
    /// Whether BridgeComm refuses a payment that looks like one of the open batch (D09), as it does unless it is told to
    /// force it. Without, nothing but the caller's care keeps a card from being charged twice.
    package var refusesDuplicates: Bool

    package init(seed: UInt64 = 1, faults: GatewayFaultProfile = .none, refusesDuplicates: Bool = true) {
        self.seed = seed
        self.faults = faults
        self.refusesDuplicates = refusesDuplicates
    }
}

/// The books of the gateways and what is done with them: a call in, an answer and new books out.
package struct GatewayHandler: Sendable {
    package let options: GatewayOptions
    package private(set) var books: GatewayBooks

    package init(options: GatewayOptions = GatewayOptions(), books: GatewayBooks = GatewayBooks()) {
        self.options = options
        self.books = books
    }

    /// What was added to the books since this was last called.
    package mutating func takeAdded() -> [BookEntry] { books.takeAdded() }

    /// Closes every batch of a gateway, as it does by itself at night.
    package mutating func settleAll(at gateway: StandInGateway) -> [BookedPayment] { books.settleAll(at: gateway) }

    /// - Parameter at: When the call came in.
    package mutating func take(_ request: BridgeCommRequest, at time: Timestamp) -> Served<BridgeCommAnswer> {
        serve("\(request.type) \(request.transactionID)", at: .bridgepay) { options, books in
            BridgeCommGateway(options: options, at: time).answer(request, &books)
        }
    }

    /// A call of SPIn: the last part of its path, and its body.
    package mutating func take(spin method: String, _ body: JSONObject, at time: Timestamp) -> Served<JSONValue> {
        serve("\(method) \(body["ReferenceId"]?.string ?? "")", at: .dejavoo) { options, books in
            SpinGateway(options: options, at: time).answer(method, body, &books)
        }
    }

    package mutating func take(transact body: JSONObject, at time: Timestamp) -> Served<JSONValue> {
        let call = TransactCall(body)
        return serve("\(call.type ?? 0) \(call.reference ?? "")", at: .ipos) { options, books in
            TransactGateway(options: options, at: time).answer(call, &books)
        }
    }

    package mutating func take(transactStatus body: JSONObject, at time: Timestamp) -> Served<JSONValue> {
        serve("status \(body["transactionReferenceId"]?.string ?? "")", at: .ipos) { options, books in
            TransactGateway(options: options, at: time).status(body, books)
        }
    }

    /// - Parameters:
    ///   - reference: The UUID a transaction was started with.
    ///   - selector: `all`, `first`, `last`, or a number from 1; nil for the first.
    package mutating func take(
        handpointStatus reference: String,
        selector: String?,
        at time: Timestamp
    ) -> Served<HandpointCloud.Answer> {
        serve("status \(reference)", at: .handpoint) { options, books in
            HandpointCloud(seed: options.seed, at: time).status(of: reference, selector: selector, books)
        }
    }

    /// What a terminal sells; it has no fault, being no call of the gateway's interface.
    package mutating func sell(_ order: JSONObject, at time: Timestamp) -> HandpointCloud.Answer {
        HandpointCloud(seed: options.seed, at: time).sell(order, &books)
    }

    /// What came of a call.
    package struct Served<Answer: Sendable>: Sendable {
        /// Nil where the books never saw the call.
        package let answer: Answer?
        package let fault: PlannedFault?
    }

    private mutating func serve<Answer>(
        _ request: String,
        at gateway: StandInGateway,
        _ process: (GatewayOptions, inout GatewayBooks) -> Answer
    ) -> Served<Answer> {
        // The books keep it; what is longer than any reference adds nothing.
        let request = String(request.prefix(160))
        var planned: PlannedFault?
        _ = books.count(request, at: gateway) { times in
            planned = options.faults.fault(of: request, times: times, at: gateway, seed: options.seed)
            return planned?.fault.rawValue
        }
        guard planned?.fault.isProcessed ?? true else { return Served(answer: nil, fault: planned) }
        return Served(answer: process(options, &books), fault: planned)
    }
}
