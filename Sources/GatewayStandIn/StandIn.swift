import NIOCore
import ServiceLifecycle
package import Simulator
import SystemPackage

/// Stand-ins for the gateways on loopback ports, with shared books.
package struct StandIn: Service {
    package struct Configuration: Sendable {
        /// The gateways to serve and their TCP ports; 0 lets the system choose one.
        package var ports: [StandInGateway: Int]
        package var options = GatewayOptions()
        /// The delay of a slow answer, at most 30 seconds.
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
    ///   - onListening: Receives the ports once connections are accepted.
    package init(
        _ configuration: Configuration,
        keeper: Bookkeeper,
        onListening: @escaping @Sendable ([StandInGateway: Int]) async -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.keeper = keeper
        self.onListening = onListening
    }

    /// Serves until a graceful shutdown; requests read before it are answered.
    ///
    /// - Throws: `PortProblem` if a port is not available.
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
                throw PortProblem(gateway: gateway, port: port, reason: Errno(rawValue: error.errnoCode).description)
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

/// A port that is not available.
package struct PortProblem: Error {
    package let gateway: StandInGateway
    package let port: Int
    /// The system's error text, for example "Address already in use".
    package let reason: String
}
