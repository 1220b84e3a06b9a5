import Metrics
import Synchronization

/// One combination of label values of a metric.
protocol MetricSeries: AnyObject, Sendable {
    /// - Parameter labels: in Prometheus syntax, without the braces.
    func lines(name: String, labels: String) -> [String]
}

extension MetricSeries {
    func line(_ name: String, _ labels: String, _ value: some CustomStringConvertible) -> String {
        labels.isEmpty ? "\(name) \(value)" : "\(name){\(labels)} \(value)"
    }
}

final class CounterSeries: CounterHandler, MetricSeries {
    private let value = Mutex<Int64>(0)

    func increment(by amount: Int64) {
        value.withLock { $0 = $0.addingReportingOverflow(amount).partialValue }
    }

    func reset() { value.withLock { $0 = 0 } }

    func lines(name: String, labels: String) -> [String] { [line(name, labels, value.withLock { $0 })] }
}

final class FloatingCounterSeries: FloatingPointCounterHandler, MetricSeries {
    private let value = Mutex(0.0)

    func increment(by amount: Double) { value.withLock { $0 += amount } }

    func reset() { value.withLock { $0 = 0 } }

    func lines(name: String, labels: String) -> [String] { [line(name, labels, value.withLock { $0 })] }
}

final class GaugeSeries: MeterHandler, RecorderHandler, MetricSeries {
    private let value = Mutex(0.0)

    func set(_ newValue: Int64) { set(Double(newValue)) }
    func set(_ newValue: Double) { value.withLock { $0 = newValue } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ newValue: Int64) { set(newValue) }
    func record(_ newValue: Double) { set(newValue) }

    func lines(name: String, labels: String) -> [String] { [line(name, labels, value.withLock { $0 })] }
}

final class HistogramSeries: TimerHandler, RecorderHandler, MetricSeries {
    static let secondsBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
    static let valueBounds: [Double] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000, 100_000, 1_000_000]

    private struct State {
        var counts: [Int64]
        var count: Int64 = 0
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    /// - Parameter bounds: upper bounds of the buckets, in ascending order.
    init(_ bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count)))
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1_000_000_000) }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let bucket = bounds.firstIndex { value <= $0 }
        state.withLock { state in
            if let bucket { state.counts[bucket] += 1 }
            state.count += 1
            state.sum += value
        }
    }

    func lines(name: String, labels: String) -> [String] {
        let state = state.withLock { $0 }
        let prefix = labels.isEmpty ? "" : "\(labels),"
        var total: Int64 = 0
        var lines = zip(bounds, state.counts).map { bound, count in
            total += count
            return line("\(name)_bucket", "\(prefix)le=\"\(bound)\"", total)
        }
        lines.append(line("\(name)_bucket", "\(prefix)le=\"+Inf\"", state.count))
        lines.append(line("\(name)_sum", labels, state.sum))
        lines.append(line("\(name)_count", labels, state.count))
        return lines
    }
}
