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
        abstract: "Stand in for the vendors' gateways, on sockets of this machine, until SIGTERM or SIGINT.",
        discussion: """
            Speaks BridgePay's BridgeComm, Handpoint's transaction status, Dejavoo's SPIn and iPOS Transact as their
            documents have them, with their test cards and test amounts, and keeps books of every payment it makes. It takes
            published test cards and tokens only, and listens on 127.0.0.1 only.

            Faults are percentages of the calls, drawn by the seed from each request's reference:
            \(GatewayFault.allCases.map(\.rawValue).joined(separator: ", ")).
            lost and fail-after happen after the books have taken the call, dropped and fail-before instead of it.

            Beside its gateway's interface every port answers GET /standin/books (payments as NDJSON), GET
            /standin/summary (totals and double charges) and POST /standin/settle (closes the batches); Handpoint's also
            POST /standin/payments, which is a terminal's sale.

            EXAMPLES
              daybook simulate gateway --bridgepay 8801 --books books.ndjson
              daybook simulate gateway --bridgepay 0 --handpoint 0 --dejavoo 0 --ipos 0 --json
              daybook simulate gateway --bridgepay 8801 --seed 7 --faults lost=20,duplicate=5,slow=5,fail=5
              curl -s http://127.0.0.1:8801/standin/summary
            """
    )

    @Option(help: "Port of BridgeComm; 0 picks one.")
    var bridgepay: Int?

    @Option(help: "Port of Handpoint's transaction status; 0 picks one.")
    var handpoint: Int?

    @Option(help: "Port of SPIn; 0 picks one.")
    var dejavoo: Int?

    @Option(help: "Port of iPOS Transact; 0 picks one.")
    var ipos: Int?

    @Option(help: "What goes wrong, and how often in percent: lost=20,slow=5.")
    var faults = "none"

    @Option(help: "Where chance begins.")
    var seed: UInt64 = 1

    @Option(help: "Where the books are kept, a line for each change; read first where it is there.")
    var books: String?

    @Option(help: "Seconds a slow answer takes, from 0 to 30.")
    var slowSeconds = 5

    @Flag(help: "Take payments that look like one of the open batch, which BridgeComm otherwise refuses (D09).")
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
            throw ValidationError("A port is a number from 0 to 65535.")
        }
        guard (0...30).contains(slowSeconds) else { throw ValidationError("--slow-seconds is from 0 to 30.") }
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
