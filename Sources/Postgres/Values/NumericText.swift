/// The exact decimal text of a binary `numeric` field, as the server would print it.
///
/// The layout is that of `numeric_send` in PostgreSQL's `numeric.c`: digit count, weight of the first digit, sign and
/// display scale, then base-10000 digits.
enum NumericText {
    private static let negative: UInt16 = 0x4000
    private static let notANumber: UInt16 = 0xC000
    private static let infinities: [UInt16: String] = [0xD000: "Infinity", 0xF000: "-Infinity"]

    static func decode(_ bytes: UnsafeRawBufferPointer) throws(PostgresError) -> String {
        var reader = BinaryReader(bytes)
        let count = try reader.integer(Int16.self)
        let weight = Int(try reader.integer(Int16.self))
        let sign = try reader.integer(UInt16.self)
        let scale = Int(try reader.integer(Int16.self))
        if sign == notANumber { return "NaN" }
        if let infinity = infinities[sign] { return infinity }
        guard count >= 0, scale >= 0, sign == 0 || sign == negative else { throw PostgresError(.malformedValue) }
        var digits: [Int16] = []
        for _ in 0..<count {
            let digit = try reader.integer(Int16.self)
            guard 0..<10_000 ~= digit else { throw PostgresError(.malformedValue) }
            digits.append(digit)
        }
        try reader.finish()
        return text(digits, weight: weight, isNegative: sign == negative, scale: scale)
    }

    private static func text(_ digits: [Int16], weight: Int, isNegative: Bool, scale: Int) -> String {
        func group(_ position: Int) -> String {
            let index = weight - position
            let digit = digits.indices.contains(index) ? String(digits[index]) : "0"
            return String(repeating: "0", count: 4 - digit.count) + digit
        }
        var text = isNegative ? "-" : ""
        let whole = weight < 0 ? "0" : (0...weight).reversed().map(group).joined()
        let significant = whole.drop { $0 == "0" }
        text += significant.isEmpty ? "0" : String(significant)
        guard scale > 0 else { return text }
        let groups = (scale + 3) / 4
        let fraction = (1...groups).map { group(-$0) }.joined()
        return text + "." + fraction.prefix(scale)
    }
}
