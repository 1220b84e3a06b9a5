import EventLog

/// Names in the log that are taken one after the other: `name:0` by the first, `name:1` by the next.
///
/// Whoever reads which numbers are free, looks at everything that those who had taken one have done, and then appends
/// together with a free one, has seen all of it: of two who do so at once one is told that the name is taken.
struct NumberedClaims: Sendable {
    /// How often a name can be taken.
    private static let most = 1 << 20

    let reader: EventReader

    /// The first number of each name that nobody has, as a name to claim; in order.
    ///
    /// - Throws: What reading throws.
    func free(_ wanted: [String], tenant: String) async throws -> [String] {
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
