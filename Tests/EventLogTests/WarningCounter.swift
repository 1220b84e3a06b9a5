import Logging
import Synchronization

/// Counts the logged warnings.
final class WarningCounter: Sendable {
    private let warnings = Atomic(0)

    var count: Int { warnings.load(ordering: .relaxed) }
    var logger: Logger { Logger(label: "test") { _ in Handler(counter: self) } }

    private struct Handler: LogHandler {
        let counter: WarningCounter
        var logLevel = Logger.Level.warning
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            if event.level == .warning { counter.warnings.add(1, ordering: .relaxed) }
        }
    }
}
