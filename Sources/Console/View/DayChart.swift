import Canonical

/// The payments of a day by hour, as columns. A table below has the same figures.
struct DayChart: Sendable {
    private static let width = 720
    private static let height = 160
    private static let base = 136

    /// Payments by hour, from the first hour of the day.
    let counts: [(hour: String, count: Int64)]

    var value: PageValue {
        let most = max(1, counts.map(\.count).max() ?? 1)
        let step = Self.width / max(1, counts.count)
        return .members([
            "viewBox": "0 0 \(Self.width) \(Self.height)", "base": "\(Self.base)", "width": "\(Self.width)",
            "most": "\(most)",
            "columns": .list(
                counts.enumerated().map { index, entry in
                    let height = Int(entry.count * 112 / most)
                    let shown = entry.count > 0 ? max(2, height) : 0
                    return .members([
                        "x": "\(index * step + 4)", "y": "\(Self.base - shown)", "width": "\(step - 8)",
                        "height": "\(shown)", "middle": "\(index * step + step / 2)", "hour": .text(entry.hour),
                        "count": entry.count > 0 ? "\(entry.count)" : nil, "above": "\(Self.base - shown - 5)",
                        "labelled": .given(index % 3 == 0),
                    ])
                }
            ),
            "rows": .list(
                counts.filter { $0.count > 0 }.map { .members(["hour": .text($0.hour), "count": "\($0.count)"]) }
            ),
        ])
    }
}
