import HTTPEdge
import Metrics

/// The metrics of this process.
enum ProcessMetrics {
    /// Installed in the metrics system on first use, which is possible only once in a process.
    static let registry: MetricsRegistry = {
        let registry = MetricsRegistry()
        MetricsSystem.bootstrap(registry)
        return registry
    }()
}
