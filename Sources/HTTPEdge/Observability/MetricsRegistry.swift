package import Metrics
import Synchronization

/// Holds the metrics of the process in memory, for Prometheus to fetch.
///
/// A name has one kind, the first it was made with, and at most `seriesLimit` combinations of label values. Further
/// combinations share one series marked `overflow="true"`, so that no client can make the process grow.
package final class MetricsRegistry: MetricsFactory {
    private enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    private struct Family {
        let kind: Kind
        var series: [String: any MetricSeries] = [:]
    }

    private let seriesLimit: Int
    private let families = Mutex<[String: Family]>([:])

    package init(seriesLimit: Int = 500) {
        self.seriesLimit = seriesLimit
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter, CounterSeries.init) ?? NOOPMetricsHandler.instance
    }

    package func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, dimensions, .counter, FloatingCounterSeries.init) ?? NOOPMetricsHandler.instance
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge, GaugeSeries.init) ?? NOOPMetricsHandler.instance
    }

    package func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else {
            return series(label, dimensions, .gauge, GaugeSeries.init) ?? NOOPMetricsHandler.instance
        }
        return series(label, dimensions, .histogram) { HistogramSeries(HistogramSeries.valueBounds) }
            ?? NOOPMetricsHandler.instance
    }

    /// A timer in seconds, the unit Prometheus expects.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, .histogram) { HistogramSeries(HistogramSeries.secondsBounds) }
            ?? NOOPMetricsHandler.instance
    }

    // Handlers are cheap to make again and their values must outlive them, so nothing is destroyed.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// All metrics in the Prometheus text format, version 0.0.4, in order of names and labels.
    package var text: String {
        let families = families.withLock { $0 }
        return families.sorted { $0.key < $1.key }.map { name, family in
            let lines = family.series.sorted { $0.key < $1.key }.flatMap { $1.lines(name: name, labels: $0) }
            return "# TYPE \(name) \(family.kind.rawValue)\n" + lines.map { "\($0)\n" }.joined()
        }.joined()
    }

    /// The answer of a `/metrics` route.
    package var response: EdgeResponse { .text(text, type: "text/plain; version=0.0.4; charset=utf-8") }

    /// The series; nil if the name belongs to another kind.
    private func series<Series: MetricSeries>(
        _ label: String,
        _ dimensions: [(String, String)],
        _ kind: Kind,
        _ make: () -> Series
    ) -> Series? {
        let name = Self.name(label, allowsColon: true)
        var labels = dimensions.map { "\(Self.name($0, allowsColon: false))=\"\(Self.quoted($1))\"" }.joined(
            separator: ","
        )
        return families.withLock { families in
            var family = families[name] ?? Family(kind: kind)
            guard family.kind == kind else { return nil }
            if let known = family.series[labels] { return known as? Series }
            if family.series.count >= seriesLimit { labels = "overflow=\"true\"" }
            if let known = family.series[labels] { return known as? Series }
            let series = make()
            family.series[labels] = series
            families[name] = family
            return series
        }
    }

    private static func name(_ text: String, allowsColon: Bool) -> String {
        let name = String(
            text.unicodeScalars.map { scalar -> Character in
                let isWord = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                return isWord || scalar == "_" || (allowsColon && scalar == ":") ? Character(scalar) : "_"
            }
        )
        return name.first?.isNumber ?? true ? "_\(name)" : name
    }

    private static func quoted(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
