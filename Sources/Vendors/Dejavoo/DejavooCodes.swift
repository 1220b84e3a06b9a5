import Payments

/// The meaning of an answer's code together with its text, and whether the vendor's tables contain the code.
struct DejavooAnswer: Hashable {
    var meaning: CodeMeaning
    /// False for a code that is in no table.
    var isKnown: Bool
    /// The host reports a duplicate of an earlier payment.
    var isDuplicate = false
    /// The host reports the result of a void. It needs no success from the app, because the app reports every code but
    /// 00 as a failure.
    var isReversalResult = false

    /// Texts meaning that the host did not answer, whatever code the app puts before them.
    private static let silences = ["HOST NO RESPONSE", "NO REPLY", "TIMED OUT", "TIMEOUT", "TIME OUT"]
    private static let duplicates: Set<String> = ["26", "94", "1011"]

    /// Classifies a host's code.
    ///
    /// The text takes precedence if it names an error of the app, because issuers use the same codes. An error text
    /// with an approval code is a contradiction, and the outcome is unknown.
    ///
    /// - Parameter operation: The requested operation. For a void, `79` (already reversed) and `80` (nothing to
    ///   reverse) mean that it is in effect, and `21` that it is not.
    /// - Returns: Nil for an empty code.
    init?(host code: String, message: String?, operation: DejavooOperation? = nil) {
        guard !code.isEmpty else { return nil }
        let text = (message ?? "").uppercased()
        let spin = code.utf8.count == 4 ? Int(code).flatMap { SpinStatus(rawValue: $0) } : nil
        let byCode = spin?.meaning ?? DejavooHostCodes.meaning(of: code)
        isKnown = byCode != nil
        isDuplicate = Self.duplicates.contains(code)
        let row = DejavooHostCodes.withMessage.first { text.contains($0.message ?? "") }
        if byCode == .approved || byCode == .partiallyApproved {
            let isDoubted = row != nil || Self.silences.contains(where: text.contains)
            meaning = isDoubted ? .unknown : byCode ?? .unknown
        } else if let row {
            meaning = row.meaning
        } else if Self.silences.contains(where: text.contains) {
            meaning = .unknown
        } else if operation == .void, let answer = Self.reversals[code] {
            meaning = answer
            isReversalResult = true
        } else {
            meaning = byCode ?? (Self.isRiskRule(code) ? .declined : .unknown)
        }
    }

    private static let reversals: [String: CodeMeaning] = ["79": .approved, "80": .approved, "21": .failed]

    /// `R13` and above: rules that the vendor added after its list was written.
    private static func isRiskRule(_ code: String) -> Bool {
        code.utf8.count == 3 && code.uppercased().hasPrefix("R")
            && code.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }

    init(result code: String) {
        let known = Int(code).flatMap { SpinResult(rawValue: $0) }
        meaning = known?.meaning ?? .unknown
        isKnown = known != nil
    }

    /// Anomalies to record beside the events.
    ///
    /// - Parameter field: The vendor's name of the field with the code.
    func anomalies(about field: String) -> [Anomaly] {
        var anomalies: [Anomaly] = []
        if !isKnown { anomalies.append(.unknownValue(field)) }
        if isDuplicate { anomalies.append(Anomaly(.duplicateSuspected, "\(field) names an earlier payment")) }
        return anomalies
    }
}

extension Anomaly {
    /// A value outside the vendor's tables. The value itself is in the document.
    static func unknownValue(_ field: String) -> Anomaly {
        Anomaly(.unknownValue, "\(field) has a value that is in none of the vendor's tables")
    }

    /// An unreadable field on which no fact depends.
    static func malformedField(_ field: String) -> Anomaly {
        Anomaly(.malformedField, "\(field) cannot be read")
    }
}
