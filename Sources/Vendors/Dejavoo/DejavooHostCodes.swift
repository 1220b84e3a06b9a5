import Payments

/// One answer of the processor or of iPOSgo, as listed in the vendor's error pages.
struct HostCode: Hashable {
    var code: String
    /// The text that identifies the row; nil if the code alone does. The comparison ignores case and matches anywhere
    /// in the message.
    var message: String?
    var meaning: CodeMeaning

    init(_ code: String, _ message: String? = nil, _ meaning: CodeMeaning) {
        self.code = code
        self.message = message
        self.meaning = meaning
    }
}

/// The processor's answers (ISO 8583 field 39 as TSYS uses it), and iPOSgo's answers with the same codes.
enum DejavooHostCodes {
    /// Rows that depend on the text. Codes are reused: 05 is the issuer's "do not honour" and five errors of the app,
    /// in which nothing left the device. Source: the vendor's error codes reference, standard numeric response codes
    /// and risk rules (facts/vendor_codes, 3).
    static let withMessage: [HostCode] = [
        HostCode("05", "NO EXISTING HOST", .failed),
        HostCode("05", "FEES N/A PROFILE", .failed),
        HostCode("05", "STMT/TXN INPRGRS", .failed),
        HostCode("05", "NO ORIGINAL TXN", .failed),
        HostCode("05", "INCAUTH N/A AMEX", .failed),
        HostCode("14", "INVALID YEAR", .failed),
        HostCode("14", "INVALID MONTH", .failed),
        HostCode("35", "GATEWAY KEY ERR", .failed),
        HostCode("91", "HOST NO RESPONSE", .unknown),
        HostCode("28", "NO REPLY", .unknown),
    ]

    /// The vendor's own risk rules, `R02 RISK FLAGGED`. Rule 12 checks the verification value or the postcode after the
    /// approval, and voids the payment before it answers.
    static let riskRules: [HostCode] = (2...12).map {
        HostCode(($0 < 10 ? "R0" : "R") + String($0), nil, .declined)
    }

    /// Rows that depend on the code alone. Source: facts/iso8583_f39. A system error, no reply, a duplicate, and an
    /// answer that only applies to a reversal do not show whether money moved.
    static let processor: [HostCode] =
        rows(.approved, "00 08 11 85 Y1 Y3")
        + rows(.partiallyApproved, "10 32 87")
        + rows(.cancelled, "17")
        + rows(
            .declined,
            """
            01 02 03 04 05 07 12 13 14 15 19 30 33 34 35 36 38 39 40 41 43 46 51 52 53 54 55 57 58 59 61 62 63 64 65 \
            70 75 78 81 82 84 86 88 93 1A N3 N4 N7 R0 R1 R3 Q1 P5 P6 Z1 Z3
            """
        )
        + rows(.unknown, "06 09 21 25 26 28 68 76 77 79 80 91 92 94 95 96")

    private static func rows(_ meaning: CodeMeaning, _ codes: String) -> [HostCode] {
        codes.split(separator: " ").map { HostCode(String($0), nil, meaning) }
    }

    private static let byCode: [String: CodeMeaning] = Dictionary(
        (processor + riskRules).map { ($0.code, $0.meaning) },
        uniquingKeysWith: { first, _ in first }
    )

    /// The meaning of a code alone; nil if no table has it.
    static func meaning(of code: String) -> CodeMeaning? {
        // The app prints success as 0, 00 and 0000.
        let isZeros = code.utf8.count <= 4 && !code.isEmpty && code.utf8.allSatisfy { $0 == 0x30 }
        return byCode[isZeros ? "00" : code.uppercased()]
    }
}

/// The terminal's four-digit codes. Source: SPIn, legacy response codes (facts/vendor_codes, 3).
enum SpinStatus: Int, CaseIterable {
    case success = 0
    case printerError = 1001
    case readerError = 1002
    case userTimeout = 1003
    case communicationError = 1004
    case batteryLow = 1005
    case internalError = 1006
    case formatError = 1007
    case wrongType = 1008
    case authenticationFailed = 1009
    case missingReference = 1010
    case duplicateReference = 1011
    case cancelled = 1012
    case badRequest = 1013

    /// An error that may occur after the host was contacted leaves the outcome unknown: printing comes last, and a
    /// connection or a battery can fail at any time. A reference already used in the batch belongs to an earlier
    /// payment, which may be this one.
    var meaning: CodeMeaning {
        switch self {
        case .success: .approved
        case .cancelled: .cancelled
        case .readerError, .userTimeout, .formatError, .wrongType, .authenticationFailed, .missingReference,
            .badRequest:
            .failed
        case .printerError, .communicationError, .batteryLow, .internalError, .duplicateReference: .unknown
        }
    }
}

/// `ResultCode`: the source of an error. Source: deep linking V2 response details; SPIn general response.
enum SpinResult: Int, CaseIterable {
    case success = 0
    case terminalError = 1
    /// The proxy may have forwarded the request before it failed.
    case proxyError = 2

    var meaning: CodeMeaning {
        switch self {
        case .success: .approved
        case .terminalError: .failed
        case .proxyError: .unknown
        }
    }
}

/// `responseCode` of the iPOS Transact web interface, which uses HTTP status numbers.
enum TransactResult: Int, CaseIterable {
    case successful = 200
    case declined = 400

    var meaning: CodeMeaning {
        switch self {
        case .successful: .approved
        case .declined: .declined
        }
    }
}
