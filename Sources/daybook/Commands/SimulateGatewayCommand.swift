import ArgumentParser
import Canonical
import GatewayStandIn
import Logging
import ServiceLifecycle
import Simulator
import UnixSignals

struct SimulateGatewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Simulate the vendors' gateways on local ports, until SIGTERM or SIGINT.",
        discussion: """
            Implements BridgePay's BridgeComm, Handpoint's transaction status, Dejavoo's SPIn and iPOS Transact as in \
            their documents, with their test cards and test amounts, and keeps books of every payment. It accepts only \
            published test cards and tokens, and listens only on 127.0.0.1.

            Faults are percentages of the calls, chosen by the seed from each request's reference: \
            \(GatewayFault.allCases.map(\.rawValue).joined(separator: ", ")). lost and fail-after happen after the \
            books have recorded the call, dropped and fail-before instead of it.

            Besides its gateway's interface every port answers GET /standin/books (payments as NDJSON), GET \
            /standin/summary (totals and double charges) and POST /standin/settle (closes the batches). Handpoint's \
            port also answers POST /standin/payments, a sale at a terminal.

            EXAMPLES
              daybook simulate gateway --bridgepay 8801 --books books.ndjson
              daybook simulate gateway --bridgepay 0 --handpoint 0 --dejavoo 0 --ipos 0 \\
                --json
              daybook simulate gateway --bridgepay 8801 --seed 7 \\
                --faults lost=20,duplicate=5,slow=5,fail=5
              curl -s http://127.0.0.1:8801/standin/summary
            """
    )

    @Option(help: "The port of BridgeComm; 0 lets the system choose.")
    var bridgepay: Int?

    @Option(help: "The port of Handpoint's transaction status; 0 lets the system choose.")
    var handpoint: Int?

    @Option(help: "The port of SPIn; 0 lets the system choose.")
    var dejavoo: Int?

    @Option(help: "The port of iPOS Transact; 0 lets the system choose.")
    var ipos: Int?

    @Option(help: "The faults with their rates in percent, such as lost=20,slow=5.")
    var faults = "none"

    @Option(help: "The seed of the random numbers.")
    var seed: UInt64 = 1

    @Option(help: "The file with the books, one line per change. An existing file is read first.")
    var books: String?

    @Option(help: "The delay of a slow answer in seconds, 0 to 30.")
    var slowSeconds = 5

    @Flag(help: "Accept duplicates of payments in the open batch, which BridgeComm otherwise refuses (D09).")
    var takeDuplicates = false

    @Flag(help: "Print one JSON document instead of text.")
    var json = false

    private var ports: [StandInGateway: Int] {
        var ports: [StandInGateway: Int] = [:]
        ports[.bridgepay] = bridgepay
        ports[.handpoint] = handpoint
        ports[.dejavoo] = dejavoo
        ports[.ipos] = ipos
        return ports
    }

    func validate() throws {
        guard !ports.isEmpty else {
            throw ValidationError("Name a gateway and its port: --bridgepay, --handpoint, --dejavoo or --ipos.")
        }
        guard ports.values.allSatisfy((0...65_535).contains) else {
            throw ValidationError("A port must be a number from 0 to 65535.")
        }
        guard (0...30).contains(slowSeconds) else { throw ValidationError("--slow-seconds must be 0 to 30.") }
        do throws(InvalidProfile) {
            _ = try GatewayFaultProfile(parsing: faults)
        } catch {
            throw ValidationError("--faults: \(error.explanation).")
        }
    }

    func run() async throws {
        var configuration = StandIn.Configuration(ports: ports)
        configuration.options = GatewayOptions(
            seed: seed,
            faults: try GatewayFaultProfile(parsing: faults),
            refusesDuplicates: !takeDuplicates
        )
        configuration.slowness = .seconds(slowSeconds)
        let keeper: Bookkeeper
        do {
            keeper = try await Bookkeeper(options: configuration.options, path: books)
        } catch let problem as BooksProblem {
            throw Failure(
                "The books \(problem.path) cannot be kept: \(problem.reason).",
                hint: "Name another file with --books."
            )
        }
        let options = configuration.options
        let standIn = StandIn(configuration, keeper: keeper) { [self] in announce($0, options) }
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: standIn)],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: Logger(label: "daybook.gateway") { _ in SwiftLogNoOpLogHandler() }
            )
        )
        do {
            try await group.run()
        } catch let problem as PortProblem {
            throw Failure(
                "Cannot listen at 127.0.0.1:\(problem.port): \(problem.reason).",
                hint: "Choose another port with --\(problem.gateway.rawValue); 0 lets the system choose one."
            )
        }
    }

    private func announce(_ ports: [StandInGateway: Int], _ options: GatewayOptions) {
        let serving = StandInGateway.allCases.compactMap { gateway in
            ports[gateway].map { (gateway, "http://127.0.0.1:\($0)\(Self.paths[gateway] ?? "")") }
        }
        guard !json else {
            var listening = JSONObject()
            for (gateway, url) in serving { listening[gateway.rawValue] = .string(url) }
            return Terminal.say([
                "listening": .object(listening), "faults": .string(options.faults.text),
                "seed": .string("\(options.seed)"),
            ])
        }
        for (gateway, url) in serving { Terminal.say("\(gateway.rawValue) at \(url)") }
        Terminal.say("faults: \(options.faults.text), seed \(options.seed), books: \(books ?? "not kept")")
    }

    private static let paths: [StandInGateway: String] = [
        .bridgepay: BridgeCommWire.path, .handpoint: "/transactions/{transactionReference}/status",
        .dejavoo: "/v2/Payment", .ipos: "/api/v3/iposTransact",
    ]
}
