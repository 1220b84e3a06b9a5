package import EventLog

/// Names in the log that are claimed in sequence: the first claim is `name:0`, the next `name:1`.
///
/// A caller reads the free numbers, then reads everything that the earlier claimants have recorded, and then appends
/// together with a free number. The append succeeds only if the caller has seen everything: of two concurrent claims
/// of a number, one is rejected.
package struct NumberedClaims: Sendable {
    /// The most claims of a name.
    private static let most = 1 << 20

    private let reader: EventReader

    package init(reader: EventReader) {
        self.reader = reader
    }

    /// The first free number of each name, as a name to claim; in order.
    ///
    /// - Throws: The errors of reading.
    package func free(_ wanted: [String], tenant: String) async throws -> [String] {
        var names: [String: (taken: Int, free: Int)] = [:]
        for name in wanted { names[name] = (-1, Self.most) }
        var probes = (0...20).map { (1 << $0) - 1 }
        while !names.isEmpty {
            var wanted: [String: [Int]] = [:]
            for (name, known) in names {
                let inside = probes.isEmpty ? Self.between(known.taken, known.free) : probes
                wanted[name] = inside.filter { $0 > known.taken && $0 < known.free }
            }
            probes = []
            let asked = wanted.flatMap { name, numbers in numbers.map { Self.claim(name, $0) } }
            guard !asked.isEmpty else { break }
            let taken = Set(try await reader.streams(named: asked, of: tenant).keys.map(\.name))
            for (name, numbers) in wanted {
                guard var known = names[name] else { continue }
                for number in numbers {
                    if taken.contains(Self.claim(name, number)) {
                        known.taken = max(known.taken, number)
                    } else {
                        known.free = min(known.free, number)
                    }
                }
                names[name] = known
            }
        }
        return names.map { Self.claim($0, $1.free) }.sorted()
    }

    private static func between(_ taken: Int, _ free: Int) -> [Int] {
        guard free - taken > 1 else { return [] }
        let step = max(1, (free - taken) / 16)
        return Array(stride(from: taken + step, to: free, by: step))
    }

    private static func claim(_ name: String, _ number: Int) -> String { "\(name):\(number)" }
}
