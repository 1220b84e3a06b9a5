import Payments

/// What an answer's code says together with its text, and whether the vendor's tables have it.
struct DejavooAnswer: Hashable {
    var meaning: CodeMeaning
    /// False for a code no table has.
    var isKnown: Bool
    /// The host has seen the same payment before.
    var isDuplicate = false
    /// The host tells what became of a void: no success of the app's own is needed beside it, for the app takes every
    /// code but 00 for a failure.
    var isReversalResult = false

    /// The host did not say anything, whatever code the app puts before it.
    private static let silences = ["HOST NO RESPONSE", "NO REPLY", "TIMED OUT", "TIMEOUT", "TIME OUT"]
    private static let duplicates: Set<String> = ["26", "94", "1011"]

    /// Classifies a host's code.
    ///
    /// The text decides where it names a trouble of the app's own, since the codes before those are also an issuer's.
    /// A text of trouble after a code of approval is a contradiction, and nobody's word.
    ///
    /// - Parameter operation: What was asked for: `79`, already reversed, and `80`, nothing to reverse, say of a void
    ///   that it is in effect, and `21` that it is not.
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

    /// `R13` and up: rules the vendor added since its list was written.
    private static func isRiskRule(_ code: String) -> Bool {
        code.utf8.count == 3 && code.uppercased().hasPrefix("R")
            && code.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Classifies a `ResultCode`.
    init(result code: String) {
        let known = Int(code).flatMap { SpinResult(rawValue: $0) }
        meaning = known?.meaning ?? .unknown
        isKnown = known != nil
    }

    /// What to say about it beside the events.
    ///
    /// - Parameter field: The vendor's name of the field with the code.
    func anomalies(about field: String) -> [Anomaly] {
        var anomalies: [Anomaly] = []
        if !isKnown { anomalies.append(.unknownValue(field)) }
        if isDuplicate { anomalies.append(Anomaly(.duplicateSuspected, "\(field) names a payment made before")) }
        return anomalies
    }
}

extension Anomaly {
    /// A value outside the vendor's tables. The value itself is in the document.
    static func unknownValue(_ field: String) -> Anomaly {
        Anomaly(.unknownValue, "\(field) has a value that is in none of the vendor's tables")
    }

    /// A field that cannot be read, and on which no fact hangs.
    static func malformedField(_ field: String) -> Anomaly {
        Anomaly(.malformedField, "\(field) cannot be read")
    }
}
