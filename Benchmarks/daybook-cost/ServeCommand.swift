import Access
import ArgumentParser
import Canonical
import Composition
import Console
import DaybookAPI
import HTTPEdge
import HTTPTypes
import Metrics
import ServiceLifecycle
import UnixSignals

struct ServeCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve a ledger as `daybook serve` does until SIGTERM; GET /meter/NAME ends the count NAME."
    )

    @Argument(help: "The database.")
    var url: String

    @Flag(help: "Apply the log to the read models, and exit when they are up to date.")
    var follows = false

    func work() async throws {
        let metrics = MetricsRegistry()
        MetricsSystem.bootstrap(metrics)
        let ledger = MeasuredLedger.open(url)
        try await ledger.run(for: follows ? .following : .appending) {
            try await serve(ledger, metrics)
            if follows { try await ledger.catchUp() }
        }
    }

    private func serve(_ ledger: Ledger, _ metrics: MetricsRegistry) async throws {
        let logger = MeasuredLedger.logger
        let api = API(ledger: ledger, readiness: Readiness(), logger: logger, metrics: { metrics.text })
        var router = try WebConsole(ledger: ledger).router()
        router.on(.get, "/meter/{name}") { request in
            Meter.mark(try request.parameter("name"))
            return EdgeResponse.text("counted")
        }
        var configuration = EdgeConfiguration()
        API.prepare(&configuration)
        configuration.port = 0
        configuration.clock = ledger.clock
        let server = EdgeServer(
            configuration: configuration,
            router: api.router(beside: router),
            logger: logger,
            metrics: metrics,
            onRunning: { MeasuredLedger.say(["port": .number(JSONNumber(Int64($0)))]) }
        )
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: server)],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            )
        )
        try await group.run()
    }
}
