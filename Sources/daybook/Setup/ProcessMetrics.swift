import HTTPEdge
import Metrics

/// The metrics of this process.
enum ProcessMetrics {
    /// Made the metrics system's own on first use; that can be done once in a process.
    static let registry: MetricsRegistry = {
        let registry = MetricsRegistry()
        MetricsSystem.bootstrap(registry)
        return registry
    }()
}
