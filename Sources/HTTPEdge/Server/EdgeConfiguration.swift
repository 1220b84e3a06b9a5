package import Canonical

/// The limits of a server, and what it takes from outside.
package struct EdgeConfiguration: Sendable {
    /// Address to listen at; the loopback unless told otherwise.
    package var host = "127.0.0.1"
    /// TCP port; 0 lets the system choose.
    package var port = 8080
    package var gate = RequestGate.Limits()
    /// From the first byte of a request to the end of its header section; beyond it 408.
    package var headerDeadline: Duration = .seconds(10)
    /// From the first byte of a request to the last of its answer; beyond it 408 or 503. Streams are exempt.
    package var requestDeadline: Duration = .seconds(30)
    /// Between requests of a connection.
    package var idleTimeout: Duration = .seconds(60)
    /// How long the rest of what a client sends is thrown away, so that it reads the answer that ended the connection.
    package var lingerTimeout: Duration = .seconds(2)
    /// Silence after which an event stream gets a comment line.
    package var commentInterval: Duration = .seconds(15)
    /// The fewest bytes a second that a stream must move while the client is the one to act ...
    package var streamBytesPerSecond = 64
    /// ... judged over this span.
    package var streamRateWindow: Duration = .seconds(30)
    /// Connections beyond it are answered 503 and closed.
    package var maximumConnections = 1024
    /// Requests beyond it are answered 503 at once.
    package var maximumRequestsInFlight = 256
    /// How long accepted requests may take to finish once the server drains.
    package var gracePeriod: Duration = .seconds(25)
    /// How long the server still accepts after it said that it is not ready, so that a balancer can notice.
    package var drainDelay: Duration = .zero
    /// Whether `X-Forwarded-For` names the client. Only behind a proxy that sets it itself.
    package var trustsForwardedFor = false
    /// Whether an id that a client sent, well-formed as it is, may be logged, stored and answered; one that may not
    /// is replaced. The product brings the rule: the edge knows no card number.
    package var acceptsRequestID: @Sendable (String) -> Bool = { _ in true }
    /// Makes the id of a request that brings none.
    package var requestIDGenerator: @Sendable () -> String = CorrelationID.random
    /// For the `Date` field.
    package var clock: any WallClock = SystemClock()

    package init() {}
}
