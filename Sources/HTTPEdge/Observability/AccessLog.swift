import Logging
package import Metrics

/// One line for every request.
package struct AccessLog: Sendable {
    /// What is known of a request when it ends. Of the path only the template: the rest may be card data.
    struct Entry: Sendable {
        let id: String
        let method: String
        var template = "-"
        var status = 0
        var code: String?
        var principal: String?
        var bytesIn = 0
        var bytesOut = 0
        var duration = Duration.zero

        init(id: String, method: String) {
            self.id = id
            self.method = method
        }

        /// The deadline answered in place of the route.
        mutating func expire(_ refusal: Refusal?) {
            guard let refusal else { return }
            status = refusal.status
            code = refusal.rawValue
        }
    }

    private let metrics: any MetricsFactory

    /// - Parameter metrics: counts and times the requests.
    package init(metrics: any MetricsFactory) {
        self.metrics = metrics
    }

    func record(_ entry: Entry, _ logger: Logger) {
        let seconds = entry.duration.components
        let microseconds = seconds.seconds * 1_000_000 + seconds.attoseconds / 1_000_000_000_000
        var metadata: Logger.Metadata = [
            "request_id": .string(entry.id),
            "method": .string(entry.method),
            "route": .string(entry.template),
            "status": .stringConvertible(entry.status),
            "duration_us": .stringConvertible(microseconds),
            "bytes_in": .stringConvertible(entry.bytesIn),
            "bytes_out": .stringConvertible(entry.bytesOut),
        ]
        if let code = entry.code { metadata["code"] = .string(code) }
        if let principal = entry.principal { metadata["principal"] = .string(principal) }
        logger.info("request", metadata: metadata)
        let dimensions = [
            ("method", entry.method), ("route", entry.template), ("status", String(entry.status)),
        ]
        Counter(label: "http_requests_total", dimensions: dimensions, factory: metrics).increment()
        Timer(
            label: "http_request_duration_seconds",
            dimensions: [("method", entry.method), ("route", entry.template)],
            factory: metrics
        ).recordMicroseconds(microseconds)
    }
}
