package import Canonical

/// The behaviour of the gateways' stand-ins.
package struct GatewayOptions: Sendable, Hashable {
    /// The seed of all random choices.
    package var seed: UInt64
    package var faults: GatewayFaultProfile
    /// Whether BridgeComm refuses a duplicate of a payment in the open batch (D09), as the real gateway does unless the
    /// caller forces it. If false, only the caller prevents a double charge.
    package var refusesDuplicates: Bool

    package init(seed: UInt64 = 1, faults: GatewayFaultProfile = .none, refusesDuplicates: Bool = true) {
        self.seed = seed
        self.faults = faults
        self.refusesDuplicates = refusesDuplicates
    }
}

/// The gateways' books and their operations: a call in, an answer and new books out.
package struct GatewayHandler: Sendable {
    package let options: GatewayOptions
    package private(set) var books: GatewayBooks

    package init(options: GatewayOptions = GatewayOptions(), books: GatewayBooks = GatewayBooks()) {
        self.options = options
        self.books = books
    }

    /// The entries added to the books since the last call.
    package mutating func takeAdded() -> [BookEntry] { books.takeAdded() }

    /// Closes every batch of a gateway, as the real gateway does every night.
    package mutating func settleAll(at gateway: StandInGateway) -> [BookedPayment] { books.settleAll(at: gateway) }

    /// - Parameter at: The time at which the call arrived.
    package mutating func take(_ request: BridgeCommRequest, at time: Timestamp) -> Served<BridgeCommAnswer> {
        serve(
            "\(request.type) \(request.transactionID)",
            of: request["MerchantAccountCode"].map { String($0.prefix(40)) },
            at: .bridgepay
        ) { options, books in
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
    ///   - reference: The UUID with which a transaction was started.
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

    /// A sale at a terminal. It has no fault, because it is not a call of the gateway's interface.
    package mutating func sell(_ order: JSONObject, at time: Timestamp) -> HandpointCloud.Answer {
        HandpointCloud(seed: options.seed, at: time).sell(order, &books)
    }

    /// The result of a call.
    package struct Served<Answer: Sendable>: Sendable {
        /// Nil if the call did not reach the books.
        package let answer: Answer?
        package let fault: PlannedFault?
    }

    private mutating func serve<Answer>(
        _ request: String,
        of account: String? = nil,
        at gateway: StandInGateway,
        _ process: (GatewayOptions, inout GatewayBooks) -> Answer
    ) -> Served<Answer> {
        // The books store the request; characters beyond the length of any reference are cut.
        let request = String(request.prefix(160))
        var planned: PlannedFault?
        _ = books.count(request, of: account, at: gateway) { times in
            planned = options.faults.fault(of: request, times: times, at: gateway, seed: options.seed)
            return planned?.fault.rawValue
        }
        guard planned?.fault.isProcessed ?? true else { return Served(answer: nil, fault: planned) }
        return Served(answer: process(options, &books), fault: planned)
    }
}
