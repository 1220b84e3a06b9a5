/// How often a figure is measured on the same stored data.
struct Repetitions: Sendable {
    /// An odd number.
    var count = 1

    /// The measurement that is the median of all by `order`.
    func median<Measurement: Sendable>(
        by order: (Measurement) -> Double,
        _ measure: () async throws -> Measurement
    ) async throws -> Measurement {
        var all: [Measurement] = []
        for _ in 0..<count { all.append(try await measure()) }
        return all.sorted { order($0) < order($1) }[count / 2]
    }
}
