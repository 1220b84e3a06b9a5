/// Finds private keys in text form anywhere in a text: from the BEGIN line to the END line, or to the end of a
/// truncated text (RFC 7468; OpenSSH and PGP use the same frames).
struct PrivateKeyScanner {
    /// The maximum length of the label between `-----BEGIN ` and `-----`: `EC PRIVATE KEY`, `PGP PRIVATE KEY BLOCK`.
    private static let longestLabel = 40

    private static let begin = Array("-----BEGIN ".unicodeScalars.map(\.value))
    private static let end = Array("-----END ".unicodeScalars.map(\.value))

    static func scan(_ units: TextUnits, into edits: inout TextEdits) {
        var index = 0
        while let start = find(begin, in: units, from: index) {
            index = start + begin.count
            guard let label = labelEnd(in: units, from: index),
                find(Array("PRIVATE KEY".unicodeScalars.map(\.value)), in: units, from: index, to: label) != nil
            else { continue }
            var last = units.count
            if let closing = find(end, in: units, from: label) {
                last = labelEnd(in: units, from: closing + end.count).map { $0 + 5 } ?? units.count
            }
            edits.drop(start..<last, of: units, rule: .credential)
            index = last
        }
    }

    /// The index of the five hyphens after a label.
    private static func labelEnd(in units: TextUnits, from start: Int) -> Int? {
        find(Array(repeating: 0x2D, count: 5), in: units, from: start, to: start + longestLabel + 5)
    }

    private static func find(_ mark: [UInt32], in units: TextUnits, from start: Int, to end: Int = .max) -> Int? {
        var index = start
        let last = min(end, units.count) - mark.count
        while index <= last {
            if units.values[index] == mark[0], units.values[index..<(index + mark.count)].elementsEqual(mark) {
                return index
            }
            index += 1
        }
        return nil
    }
}
