import Canonical
import Testing

/// Repeats the request until the answer is as expected, for at most a minute.
func eventually<Value: Sendable>(
    _ ask: () async throws -> Value,
    is isReached: (Value) throws -> Bool,
    _ location: SourceLocation = #_sourceLocation
) async throws -> Value {
    let deadline = ContinuousClock.now + .seconds(60)
    var value = try await ask()
    while try !isReached(value) {
        guard ContinuousClock.now < deadline else {
            Issue.record("it never came to that: \(value)", sourceLocation: location)
            return value
        }
        try await ContinuousClock().sleep(for: .milliseconds(20))
        value = try await ask()
    }
    return value
}
