/// Formats figures.
package enum Figure {
    package static func rate(_ rate: Double, _ unit: String) -> String { "\(grouped(Int(rate.rounded()))) \(unit)/s" }

    package static func seconds(_ seconds: Double) -> String {
        let hundredths = Int((seconds * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) s"
    }

    package static func milliseconds(_ microseconds: Double) -> String {
        let hundredths = Int((microseconds / 10).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) ms"
    }

    package static func ratio(_ ours: Double, _ ceiling: Double) -> String {
        guard ceiling > 0 else { return "-" }
        let hundredths = Int((ours / ceiling * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }

    package static func grouped(_ number: Int) -> String {
        var digits = Array(String(number))
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: place)
            place -= 3
        }
        return String(digits)
    }
}
