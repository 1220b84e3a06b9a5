import Logging
package import Metrics
import Synchronization

/// Writes one line for every request.
package struct AccessLog: Sendable {
    /// The facts about a request when it ends. Of the path only the template is kept: the rest may be card data.
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

        /// Records that the deadline answered in place of the route.
        mutating func expire(_ refusal: GateRefusal?) {
            guard let refusal else { return }
            status = refusal.status
            code = refusal.rawValue
        }
    }

    private let series: RequestSeries

    /// - Parameter metrics: counts and times the requests.
    package init(metrics: any MetricsFactory) {
        series = RequestSeries(metrics)
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
        series.record(entry, microseconds: microseconds)
    }
}

/// The metrics of requests, cached because making one parses its names and labels.
private final class RequestSeries: Sendable {
    private struct Key: Hashable {
        let method: String
        let template: String
        let status: Int
    }

    /// Far more than there are combinations of routes, methods and statuses; beyond it a series is made each time.
    private static let limit = 1024

    private let metrics: any MetricsFactory
    private let known = Mutex<[Key: (counter: Counter, timer: Timer)]>([:])

    init(_ metrics: any MetricsFactory) {
        self.metrics = metrics
    }

    func record(_ entry: AccessLog.Entry, microseconds: Int64) {
        let key = Key(method: entry.method, template: entry.template, status: entry.status)
        let (counter, timer) = known.withLock { known in
            if let series = known[key] { return series }
            let series = make(key)
            if known.count < Self.limit { known[key] = series }
            return series
        }
        counter.increment()
        timer.recordMicroseconds(microseconds)
    }

    private func make(_ key: Key) -> (Counter, Timer) {
        let dimensions = [("method", key.method), ("route", key.template)]
        return (
            Counter(
                label: "http_requests_total",
                dimensions: dimensions + [("status", String(key.status))],
                factory: metrics
            ),
            Timer(label: "http_request_duration_seconds", dimensions: dimensions, factory: metrics)
        )
    }
}
