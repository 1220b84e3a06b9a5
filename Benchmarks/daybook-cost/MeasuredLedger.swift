import Canonical
import Composition
import Foundation
import HTTPEdge
import Logging
import Postgres
import Redaction

/// The ledger as the service opens it, with a fixed clock.
enum MeasuredLedger {
    /// 2026-01-01T00:00:00Z.
    struct FixedClock: WallClock {
        func now() -> Timestamp { Timestamp(microsecondsSince1970: 1_767_225_600_000_000) }
    }

    /// Logs requests to standard error, as the service does.
    static let logger = Logger(label: "daybook") { label in
        ScrubbingLogHandler(
            label: label,
            format: .json,
            scrubber: FunctionScrubber { TextScrubber().scrub($0).text },
            clock: FixedClock()
        )
    }

    static func open(_ url: String) -> Ledger {
        Ledger(
            configuration: PostgresConfiguration(connectionString: url),
            connections: 16,
            clock: FixedClock(),
            logger: logger
        )
    }

    /// Prints one line.
    static func say(_ value: JSONValue) {
        FileHandle.standardOutput.write(Data(value.canonicalBytes + [0x0A]))
    }
}
