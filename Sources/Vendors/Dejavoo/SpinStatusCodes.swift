/// The meaning of the SPIn REST interface's `StatusCode` for the money.
///
/// Source: SPIn REST, error codes and messages. The older interface uses the same numbers differently
/// (facts/vendor_codes, 3: 1001 is a printer error there, and a transaction that was not found here). If the two
/// disagree, the text decides; if it does not, the outcome is unknown.
enum SpinStatusCodes {
    enum Reading: Hashable {
        case meaning(CodeMeaning)
        /// The terminal or the proxy has no such transaction in its batch.
        case notFound
        case busy
        case duplicate
    }

    /// - Parameter message: `Message` and `DetailedMessage`.
    /// - Returns: Nil for a code in no table.
    static func reading(of code: String, message: String) -> Reading? {
        guard code.utf8.count == 4, let number = Int(code) else { return nil }
        let text = message.uppercased()
        switch number {
        case 0: return .meaning(.approved)
        case 1: return .meaning(.partiallyApproved)
        case 1000, 2008: return .busy
        case 1001: return text.contains("NOT FOUND") ? .notFound : .meaning(.unknown)
        case 2009: return .notFound
        case 1004: return .meaning(text.contains("NOT ALLOWED") ? .failed : .unknown)
        case 1011: return .duplicate
        case 1012: return .meaning(.cancelled)
        case 1015: return .meaning(.declined)
        default: break
        }
        if refused.contains(number) { return .meaning(.failed) }
        return inDoubt.contains(number) ? .meaning(.unknown) : nil
    }

    /// Refused by the terminal or the proxy before the host was contacted.
    private static let refused: Set<Int> = [
        1002, 1003, 1007, 1008, 1009, 1010, 1013, 1016, 1017, 1019, 1020, 1021, 1022, 1023, 2001, 2002, 2003, 2004,
        2005, 2006, 2011, 2101, 2102, 2201,
    ]

    /// Money may have moved before the error: a battery, a connection or a printer can fail at any time, and a time-out
    /// of the proxy proves nothing either.
    private static let inDoubt: Set<Int> = [1005, 1006, 1014, 1018, 1024, 1030, 1500, 1999, 2007, 2010, 2110, 2301]

    static let all: [Int] =
        Array(0...1) + Array(1000...1024) + [1030, 1500, 1999] + Array(2001...2011)
        + [2101, 2102, 2110, 2201, 2301]
}
