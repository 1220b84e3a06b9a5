import NIOCore
import ServiceLifecycle
package import Simulator

/// Stand-ins of the gateways on sockets of the loopback, over the same books.
package struct StandIn: Service {
    package struct Configuration: Sendable {
        /// The gateways to serve and their TCP ports; 0 lets the system choose one.
        package var ports: [StandInGateway: Int]
        package var options = GatewayOptions()
        /// How long a slow answer takes, up to 30 seconds.
        package var slowness: Duration = .seconds(5)

        package init(ports: [StandInGateway: Int]) {
            self.ports = ports
        }
    }

    private let configuration: Configuration
    private let keeper: Bookkeeper
    private let onListening: @Sendable ([StandInGateway: Int]) async -> Void

    /// - Parameters:
    ///   - keeper: The books.
    ///   - onListening: Told the ports once connections are accepted.
    package init(
        _ configuration: Configuration,
        keeper: Bookkeeper,
        onListening: @escaping @Sendable ([StandInGateway: Int]) async -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.keeper = keeper
        self.onListening = onListening
    }

    /// Serves until a graceful shutdown; what was read by then is answered.
    ///
    /// - Throws: `PortProblem` where a port cannot be listened at.
    package func run() async throws {
        var servers: [StandInGateway: StandInServer] = [:]
        for gateway in StandInGateway.allCases {
            guard let port = configuration.ports[gateway] else { continue }
            do {
                servers[gateway] = try await StandInServer.listen(
                    port: port,
                    routes: GatewayRoutes(gateway: gateway, keeper: keeper),
                    slowness: min(configuration.slowness, .seconds(30))
                )
            } catch let error as IOError {
                for server in servers.values { try? await server.close() }
                throw PortProblem(gateway: gateway, port: port, reason: "\(error)")
            }
        }
        let ports = servers.mapValues(\.port)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for server in servers.values { group.addTask { try await server.run() } }
            await onListening(ports)
            try await group.waitForAll()
        }
    }
}

/// A port that cannot be listened at.
package struct PortProblem: Error {
    package let gateway: StandInGateway
    package let port: Int
    /// What the system says, such as "Address already in use".
    package let reason: String
}
