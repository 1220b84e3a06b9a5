import Canonical
import DaybookTestKit
import EventLog
import Foundation
import GatewayStandIn
import Gateways
import Intake
import Logging
import Payments
import Replay
import ReplayRules
import ServiceLifecycle
import Simulator
import Synchronization

/// A log and the stand-ins of the gateways, on sockets, all on one stopped clock.
struct World: Sendable {
    static let sender = Sender(tenant: "acme", actor: "test", correlation: "test")
    /// Reading the rules of a day takes longer than most tests.
    static let books = RuleBooks()

    let log: TestLog
    let keeper: Bookkeeper
    let gateways: GatewayRegistry
    private let handpointPort: Int
    private let bridgePort: Int

    var recorder: TransactionRecorder {
        TransactionRecorder(
            sequencer: log.sequencer,
            reader: log.reader,
            ids: UUIDv7Generator(clock: log.clock),
            clock: log.clock
        )
    }

    var resolver: OutcomeResolver { resolver(clock: log.clock) }

    /// - Parameter clock: The clock of the server that queries; the log has its own.
    func resolver(clock: ManualClock) -> OutcomeResolver {
        OutcomeResolver(
            reader: log.reader,
            recorder: recorder,
            gateways: gateways,
            books: Self.books,
            logGuard: log.logGuard,
            ids: UUIDv7Generator(clock: log.clock),
            clock: clock
        )
    }

    /// Serves the books in `directory` while `body` runs.
    ///
    /// - Parameters:
    ///   - transact: With iPOS Transact instead of SPIn.
    ///   - isDown: No gateway accepts connections.
    static func with<Result: Sendable>(
        _ log: TestLog,
        books: String,
        faults: String = "none",
        seed: UInt64 = 7,
        failuresToOpen: Int = 1_000,
        reversals: Bool = false,
        slowness: Duration = .zero,
        transact: Bool = false,
        isDown: Bool = false,
        _ body: @Sendable (World) async throws -> Result
    ) async throws -> Result {
        let options = GatewayOptions(
            seed: seed,
            faults: try GatewayFaultProfile(parsing: faults),
            refusesDuplicates: false
        )
        let keeper = try await Bookkeeper(options: options, path: books, clock: log.clock)
        var configuration = StandIn.Configuration(
            ports: Dictionary(uniqueKeysWithValues: StandInGateway.allCases.map { ($0, 0) })
        )
        configuration.options = options
        configuration.slowness = slowness
        let (listening, listens) = AsyncStream.makeStream(of: [StandInGateway: Int].self)
        let standIn = StandIn(configuration, keeper: keeper) { listens.yield($0) }
        let group = ServiceGroup(
            configuration: .init(services: [.init(service: standIn)], logger: TestLog.logger)
        )
        let serving = Task { try await group.run() }
        var ports: [StandInGateway: Int] = [:]
        for await reported in listening {
            ports = reported
            break
        }
        do {
            let world = World(
                log: log,
                keeper: keeper,
                gateways: try registry(isDown ? [:] : ports, failuresToOpen, reversals, transact, log.clock),
                handpointPort: ports[.handpoint] ?? 0,
                bridgePort: ports[.bridgepay] ?? 0
            )
            let result = try await body(world)
            await group.triggerGracefulShutdown()
            try await serving.value
            await keeper.close()
            return result
        } catch {
            await group.triggerGracefulShutdown()
            try? await serving.value
            await keeper.close()
            throw error
        }
    }

    // MARK: Payments

    /// Makes a gateway sell, with a recorded call.
    func sell(
        _ cents: Int64,
        at gateway: String = "bridge",
        operation: GatewayOperation = .sale,
        invoice: String? = nil,
        logGuard: LogGuard? = nil
    ) async throws -> UUID128 {
        let id = UUIDv7Generator(clock: log.clock).next()
        let stream = StreamName.transaction(id)
        let amount = Money(cents, .usd)
        let request = PaymentRequest(amounts: Amounts(total: amount))
        _ = try await recorder.record(
            [operation == .authorization ? .authorizationRequested(request) : .saleRequested(request)],
            from: nil,
            stream: stream,
            keys: [],
            idempotency: [],
            policy: LifecyclePolicy(),
            occurredAt: log.clock.now(),
            sender: Self.sender
        )
        let called = try account(at: gateway)
        _ = try await GatewayCaller(recorder: recorder, logGuard: logGuard, clock: log.clock).call(
            GatewayCall(
                operation,
                reference: CallReference(id.text).text(at: called),
                amount: amount,
                invoice: invoice,
                token: Secret("11110000000000001111")
            ),
            at: called,
            GatewayCaller.Subject(stream: stream, version: 1, accounts: Self.accounts),
            sender: Self.sender
        )
        return id
    }

    struct MissingGateway: Error {}

    /// Closes the batch at BridgePay, and records that a payment was settled with it.
    func closeBatch(of id: UUID128, cents: Int64) async throws {
        let client = try await RawClient.connect(port: bridgePort)
        try await client.send("POST /standin/settle HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
        guard try await client.readResponse().status == 200 else { throw MissingGateway() }
        _ = try await recorder.record(
            [.settled(Settlement(id: "s-1", amount: Money(cents, .usd)))],
            from: nil,
            stream: StreamName.transaction(id),
            keys: [],
            idempotency: [],
            policy: LifecyclePolicy(),
            occurredAt: log.clock.now(),
            sender: Self.sender
        )
    }

    /// Records a Handpoint sale of which the app only knows that it began.
    ///
    /// - Parameter isReported: Whether a document reports the transactionReference; otherwise it is only the app's
    ///   own name.
    func beginHandpoint(_ reference: String, cents: Int64, isReported: Bool = true) async throws -> UUID128 {
        let id = UUIDv7Generator(clock: log.clock).next()
        let received = DocumentReceived(
            vendor: .handpoint,
            kind: "test",
            document: [:],
            redactions: [],
            device: Self.reader,
            reference: reference
        )
        _ = try await recorder.record(
            [
                .saleRequested(PaymentRequest(amounts: Amounts(total: Money(cents, .eur)))),
                .outcomeUnknown(
                    Verdict(
                        evidence: .reader,
                        response: Response(code: "UNDEFINED"),
                        references: References(vendorTransaction: isReported ? reference : nil)
                    )
                ),
            ],
            from: received,
            stream: StreamName.transaction(id),
            keys: [],
            idempotency: [],
            policy: LifecyclePolicy(),
            occurredAt: log.clock.now(),
            sender: Self.sender
        )
        return id
    }

    /// Makes a gateway sell without a record in the ledger.
    func sellElsewhere(_ cents: Int64, at gateway: String, reference: String, invoice: String? = nil) async throws {
        let called = try account(at: gateway)
        let call = GatewayCall(
            .sale,
            reference: reference,
            amount: Money(cents, .usd),
            invoice: invoice,
            token: Secret("11110000000000001111")
        )
        guard case .answered = await called.call(call) else { throw MissingGateway() }
    }

    /// Records a sale that an app reports with an unknown outcome, at the accounts of the gateways.
    func begin(
        _ vendor: Vendor,
        _ references: References,
        cents: Int64,
        document: JSONValue = ["merchantAccountCode": "320001"],
        terminal: String = "Z11NATASHA98"
    ) async throws -> UUID128 {
        let id = UUIDv7Generator(clock: log.clock).next()
        _ = try await recorder.record(
            [
                .saleRequested(PaymentRequest(amounts: Amounts(total: Money(cents, .usd)), references: references)),
                .outcomeUnknown(Verdict(evidence: .gateway, response: Response(code: "E09"))),
            ],
            from: DocumentReceived(
                vendor: vendor,
                kind: "test",
                document: document,
                redactions: [],
                terminal: terminal
            ),
            stream: StreamName.transaction(id),
            keys: [],
            idempotency: [],
            policy: LifecyclePolicy(),
            occurredAt: log.clock.now(),
            sender: Self.sender
        )
        return id
    }

    /// Makes a terminal sell and report to its gateway.
    func sellAtTerminal(_ reference: String, cents: Int64, more: String = "") async throws {
        let body = #"{"transactionReference":"\#(reference)","amount":\#(cents),"currency":"EUR"\#(more)}"#
        let client = try await RawClient.connect(port: handpointPort)
        try await client.send(
            "POST /standin/payments HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        guard try await client.readResponse().status == 202 else { throw MissingGateway() }
    }

    /// Records that the terminal did not complete the payment that the host approved.
    func fail(_ id: UUID128) async throws {
        _ = try await recorder.record(
            [.anomalyRaised(Anomaly(.reversalDue, "the host approved and the chip declined"))],
            from: nil,
            stream: StreamName.transaction(id),
            keys: [],
            idempotency: [],
            policy: LifecyclePolicy(),
            occurredAt: log.clock.now(),
            sender: Self.sender
        )
    }

    /// The calls sent to reverse a payment.
    func reversals(_ id: UUID128) async throws -> [GatewayQuery] {
        try await status(id)?.calls.filter(\.operation.takesBack) ?? []
    }

    func state(_ id: UUID128) async throws -> TransactionState {
        TransactionState(
            folding: try await log.reader.stream(StreamName.transaction(id), of: "acme").map(TransactionEvent.init)
        )
    }

    func status(_ id: UUID128) async throws -> DoubtStatus? {
        try await resolver.status(of: id, tenant: "acme")
    }

    /// The references of the queries about a payment.
    func questions(_ id: UUID128) async throws -> [String] {
        try await log.reader.stream(StreamName.transaction(id), of: "acme").map(TransactionEvent.init).compactMap {
            guard case .gateway(let event) = $0, event.name == .callSent, event.report.operation == .find else {
                return nil
            }
            return event.report.reference
        }
    }

    /// Queries once, after moving the clock to the time when the query is due.
    @discardableResult
    func ask(_ id: UUID128) async throws -> OutcomeResolver.Result {
        switch try await status(id)?.next {
        case .query(let at, _)?, .underWay(let at)?: if at > log.clock.now() { log.clock.set(at) }
        default: break
        }
        return try await resolver.resolve(id, sender: Self.sender)
    }

    /// Queries until nothing is in doubt or the payment needs review, at most `queries` times.
    func settle(_ id: UUID128, within queries: Int = 40) async throws -> TransactionState {
        for _ in 0..<queries {
            switch try await ask(id) {
            case .nothingInDoubt, .person, .noGateway, .noSuchPayment: return try await state(id)
            case .queried, .waiting: continue
            }
        }
        return try await state(id)
    }
}

/// A log, and a directory for the books of gateways.
func withBooks<Result: Sendable>(
    _ body: @Sendable (_ log: TestLog, _ books: String) async throws -> Result
) async throws -> Result {
    let directory = try TemporaryDirectory()
    do {
        let result = try await TestLog.with { try await body($0, directory.path + "/books") }
        try await directory.remove()
        return result
    } catch {
        try? await directory.remove()
        throw error
    }
}
