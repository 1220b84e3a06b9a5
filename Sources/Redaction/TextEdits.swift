/// The changes to one text, collected by the scanners and applied once.
package struct TextEdits {
    /// The replacement for a value removed from a text. It contains no word that a scanner searches for.
    package static let marker = "[removed]"

    /// One kind of change.
    struct Finding: Hashable {
        let rule: RedactedPlace.Rule
        let action: RedactedPlace.Action
    }

    private enum Mark: UInt8 {
        case keep, star, omit, marker, dropped
    }

    /// One mark per scalar of the source.
    private var marks: [Mark]
    private(set) var findings: Set<Finding> = []

    init(count: Int) {
        marks = Array(repeating: .keep, count: count)
    }

    /// Hides one character behind `*`.
    mutating func mask(_ unit: Int, of units: TextUnits, rule: RedactedPlace.Rule) {
        for place in units.starts[unit]..<units.starts[unit + 1] where marks[place] == .keep {
            marks[place] = place == units.starts[unit] ? .star : .omit
            findings.insert(Finding(rule: rule, action: .masked))
        }
    }

    /// Removes characters and puts `marker` in their place.
    mutating func drop(_ range: Range<Int>, of units: TextUnits, rule: RedactedPlace.Rule) {
        guard !range.isEmpty else { return }
        let start = units.starts[range.lowerBound]
        if marks[start] != .dropped { marks[start] = .marker }
        for place in (start + 1)..<max(start + 1, units.starts[range.upperBound]) { marks[place] = .dropped }
        findings.insert(Finding(rule: rule, action: .dropped))
    }

    /// The changed text; nil without changes.
    func applied(to scalars: [Unicode.Scalar]) -> String? {
        guard !findings.isEmpty else { return nil }
        var text = String.UnicodeScalarView()
        for (place, mark) in marks.enumerated() {
            switch mark {
            case .keep: text.append(scalars[place])
            case .star: text.append("*")
            case .marker: text.append(contentsOf: Self.marker.unicodeScalars)
            case .omit, .dropped: break
            }
        }
        return String(text)
    }
}
