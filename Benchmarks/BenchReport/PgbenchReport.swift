/// What pgbench prints at its end.
package struct PgbenchReport: Sendable, Equatable {
    /// Transactions per second.
    package let rate: Double
    /// The mean time of a transaction.
    package let latencyMicroseconds: Double

    /// - Throws: `ReportFailure` if a figure is missing.
    package init(parsing text: String) throws {
        func figure(_ name: String) throws -> Double {
            let line = text.split(separator: "\n").first { $0.hasPrefix(name + " = ") }
            guard let figure = line?.split(separator: "=").last?.split(separator: " ").first.flatMap({ Double($0) })
            else { throw ReportFailure("pgbench reported no \(name): \(text)") }
            return figure
        }
        rate = try figure("tps")
        latencyMicroseconds = try figure("latency average") * 1000
    }
}
