extension GatewayConfiguration {
    /// Whether its addresses answer HTTP. A GET without credentials is sent to each; whatever it answers, it moves no
    /// money.
    ///
    /// - Parameter timeout: For connecting to an address, and once more for its answer.
    /// - Returns: Why the first one that does not answer cannot be reached; nil if all answer.
    package func reach(within timeout: Duration = .seconds(5)) async -> GatewayFailure? {
        let milliseconds = max(1, Int64(timeout / .milliseconds(1)))
        let timeouts = GatewayTimeouts(
            connectMilliseconds: milliseconds,
            readMilliseconds: milliseconds,
            totalMilliseconds: 2 * milliseconds
        )
        for endpoint in [endpoint, statusEndpoint].compactMap(\.self) {
            let transport = transport(to: endpoint, timeouts: timeouts)
            let request = WireRequest(method: .get, path: "", headers: [], body: nil)
            switch await transport.send(request, by: .now.advanced(by: .milliseconds(2 * milliseconds))) {
            case .response: continue
            case .unanswered(let failure) where failure.code == .oversized || failure.code == .malformed: continue
            case .unanswered(let failure), .notSent(let failure): return failure
            }
        }
        return nil
    }

    func transport(to endpoint: GatewayEndpoint, timeouts: GatewayTimeouts) -> HTTPTransport {
        HTTPTransport(
            endpoint: endpoint,
            egress: EgressPolicy(allowed: allowedNetworks, allowsLoopback: endpoint.isLoopback),
            timeouts: timeouts,
            trustRootsFile: trustRootsFile
        )
    }
}
