import Payments

/// iPOSgo's answer codes: ISO 8583 field 39 as TSYS answers it, and the app's own. Sources: deep linking V2 response
/// table; iPOS Transact and SPIn error lists (facts/vendor_codes, 3).
enum DejavooCodes {
    /// What one code says together with its text.
    ///
    /// Codes are not enough: 05 is also the app's answer to its own troubles, which never left the device.
    ///
    /// - Returns: Nil for an empty code.
    static func meaning(ofHost code: String, message: String?) -> CodeMeaning? {
        let text = (message ?? "").uppercased()
        if localTroubles.contains(where: text.contains) { return .failed }
        if silences.contains(where: text.contains) { return .unknown }
        switch code.uppercased() {
        case "": return nil
        case "0", "00", "000", "0000", "08", "11", "85", "Y1", "Y3": return .approved
        case "10", "32", "87": return .partiallyApproved
        case "17": return .cancelled
        case let code where declines.contains(code) || isRiskRule(code): return .declined
        // In progress (09), duplicates (26, 94), silence and trouble (06, 28, 68, 91, 92, 96), and whatever is not
        // known: money may have moved.
        default: return .unknown
        }
    }

    /// Field 39 values that say no. Source: facts/iso8583_f39.
    private static let declines: Set<String> = [
        "01", "02", "03", "04", "05", "07", "12", "13", "14", "15", "19", "30", "33", "34", "35", "36", "38", "39",
        "40",
        "41", "43", "46", "51", "52", "53", "54", "55", "57", "58", "59", "61", "62", "63", "64", "65", "70", "75",
        "78",
        "81", "82", "84", "86", "88", "93", "1A", "N3", "N4", "N7", "R0", "R1", "R3", "Q1", "P5", "P6", "Z1", "Z3",
    ]

    /// `R02` and up: the vendor's own risk rules.
    private static func isRiskRule(_ code: String) -> Bool {
        code.utf8.count == 3 && code.hasPrefix("R") && code.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Answers of the app itself, before anything was sent.
    private static let localTroubles = [
        "NO EXISTING HOST", "FEES N/A PROFILE", "STMT/TXN INPRGRS", "NO ORIGINAL TXN", "INVALID YEAR", "INVALID MONTH",
    ]

    /// The host did not say anything.
    private static let silences = ["HOST NO RESPONSE", "NO REPLY", "TIMED OUT", "TIMEOUT", "TIME OUT"]

    /// `ResultCode`: 0 is success. 1 is the terminal's error, 2 the proxy's, which may have sent the request on.
    static func meaning(ofResult code: String) -> CodeMeaning {
        switch Int(code) {
        case 0: .approved
        case 1: .failed
        default: .unknown
        }
    }
}

/// What a Dejavoo document is about.
enum DejavooOperation: String, Hashable {
    case sale, refund, authorization, capture, void

    /// True when it belongs to a payment made before. A refund never does: iPOSgo's refunds are standalone.
    var isFollowUp: Bool { self == .capture || self == .void }

    /// `Sale`, `Pre Auth`, `.PRE_AUTH`, `TICKET`.
    init?(named text: String) {
        switch SensitiveNames.normalized(text) {
        case "sale", "purchase": self = .sale
        case "refund", "return": self = .refund
        case "preauth", "preauthorization", "auth", "authonly": self = .authorization
        case "ticket", "capture", "completion", "preauthcompletion": self = .capture
        case "void": self = .void
        default: return nil
        }
    }

    /// `TxnType` of deep linking V2. The table names only these two, and other Dejavoo interfaces count differently.
    init?(number text: String) {
        switch Int(text) {
        case 1: self = .sale
        case 2: self = .refund
        default: return nil
        }
    }
}
