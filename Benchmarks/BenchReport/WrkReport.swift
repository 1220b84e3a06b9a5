/// What wrk 4.1 prints with `--latency`.
package struct WrkReport: Sendable, Equatable {
    /// Requests per second.
    package let rate: Double
    package let p50Microseconds: Double
    package let p99Microseconds: Double
    /// Errors of sockets, and answers other than 2xx and 3xx.
    package let failures: Int

    /// - Throws: `ReportFailure` if a figure is missing.
    package init(parsing text: String) throws {
        let lines = text.split(separator: "\n").map { $0.split(whereSeparator: { " :,".contains($0) }) }
        func figure(after name: Substring) throws -> Substring {
            guard let line = lines.first(where: { $0.first == name }), line.count > 1 else {
                throw ReportFailure("wrk reported no \(name): \(text)")
            }
            return line[1]
        }
        guard let rate = Double(try figure(after: "Requests/sec")) else {
            throw ReportFailure("wrk reported no rate: \(text)")
        }
        self.rate = rate
        p50Microseconds = try Self.microseconds(figure(after: "50%"))
        p99Microseconds = try Self.microseconds(figure(after: "99%"))
        // `Socket errors: connect 0, read 0, write 0, timeout 0` and `Non-2xx or 3xx responses: 5`, if there are any.
        let counts = lines.filter { $0.first == "Socket" || $0.first == "Non-2xx" }
        failures = counts.joined().reduce(0) { $0 + (Int($1) ?? 0) }
    }

    /// A time such as `635.91us`, `5.80ms`, `1.20s` or `1.00m`.
    private static func microseconds(_ time: Substring) throws -> Double {
        let unit = time.drop { $0.isNumber || $0 == "." }
        let factors = ["us": 1, "ms": 1e3, "s": 1e6, "m": 6e7, "h": 3.6e9]
        guard let number = Double(time.dropLast(unit.count)), let factor = factors[String(unit)] else {
            throw ReportFailure("wrk reported the time \(time)")
        }
        return number * factor
    }
}
