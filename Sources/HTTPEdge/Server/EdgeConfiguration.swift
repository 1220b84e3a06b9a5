package import Canonical

/// The limits of a server, and the rules and values it is given.
package struct EdgeConfiguration: Sendable {
    /// The address to listen on; the loopback by default.
    package var host = "127.0.0.1"
    /// The TCP port; 0 lets the system choose.
    package var port = 8080
    package var gate = RequestGate.Limits()
    /// From the first byte of a request to the end of its header section; beyond it 408.
    package var headerDeadline: Duration = .seconds(10)
    /// From the first byte of a request to the last of its answer; beyond it 408 or 503. Streams are exempt.
    package var requestDeadline: Duration = .seconds(30)
    /// The longest time between requests of a connection.
    package var idleTimeout: Duration = .seconds(60)
    /// How long further input from a client is discarded, so that the client can read the answer that ended the
    /// connection.
    package var lingerTimeout: Duration = .seconds(2)
    /// Silence after which an event stream gets a comment line.
    package var commentInterval: Duration = .seconds(15)
    /// The minimum number of bytes per second of a stream while the client must act, measured over `streamRateWindow`.
    package var streamBytesPerSecond = 64
    /// The period over which `streamBytesPerSecond` is measured.
    package var streamRateWindow: Duration = .seconds(30)
    /// Further connections are answered with 503 and closed.
    package var maximumConnections = 1024
    /// Further requests are answered with 503 at once.
    package var maximumRequestsInFlight = 256
    /// How long accepted requests may take to finish once the server drains.
    package var gracePeriod: Duration = .seconds(25)
    /// How long the server still accepts connections after it reports that it is not ready, so that a load balancer can
    /// notice.
    package var drainDelay: Duration = .zero
    /// Whether `X-Forwarded-For` names the client. Only behind a proxy that sets this field.
    package var trustsForwardedFor = false
    /// Whether a well-formed id that a client sent may be logged, stored and sent back; otherwise it is replaced. The
    /// product supplies the rule: the edge has no rule for card numbers.
    package var acceptsRequestID: @Sendable (String) -> Bool = { _ in true }
    /// Makes the id of a request that has none.
    package var requestIDGenerator: @Sendable () -> String = CorrelationID.random
    /// The clock for the `Date` field.
    package var clock: any WallClock = SystemClock()

    package init() {}
}
