import Payments

extension Anomaly {
    /// - Parameter operation: What may or may not have happened, in the vendor's adapter's words.
    static func followUpInDoubt(_ operation: String) -> Anomaly {
        Anomaly(.followUpInDoubt, "whether the \(operation) took effect is not known")
    }
}
