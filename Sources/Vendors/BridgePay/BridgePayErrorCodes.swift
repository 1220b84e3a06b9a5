import Redaction

/// The meaning of an `NSError` for the money, by domain and code.
///
/// Sources: PayGuardian iOS guide, examples of errors (2 and 6) and iOS app extension errors; Apple's headers
/// `NSURLError.h`, `CFNetworkErrors.h` and `errno.h` for the rest.
enum BridgePayErrorDomain: Hashable, CaseIterable {
    case payGuardian, url, network, posix

    /// An empty domain counts as PayGuardian's: the app sent the code alone.
    init?(_ name: String) {
        switch SensitiveNames.normalized(name) {
        case "", "combridgepaynetworkpayguardian", "payguardian": self = .payGuardian
        case "nsurlerrordomain": self = .url
        case "kcferrordomaincfnetwork": self = .network
        case "nsposixerrordomain": self = .posix
        default: return nil
        }
    }

    /// Nil for PayGuardian codes that are in no table. Network codes outside the tables are unknown: the request may
    /// have reached the gateway.
    func meaning(of code: String) -> CodeMeaning? {
        switch self {
        case .payGuardian: Self.errors[code.uppercased()]
        case .url, .network: Int(code).map { Self.unconnected.contains($0) ? .failed : .unknown }
        case .posix: Int(code).map { Self.unreachable.contains($0) ? .failed : .unknown }
        }
    }

    static let errors: [String: CodeMeaning] = [
        "2": .failed,  // the request is not valid
        "6": .cancelled,  // the card could not be read; a cancelled sale ends with it too
        "E1001": .failed,  // invoice number
        "E1002": .failed,  // amount
        "E1003": .failed,  // user name
        "E1004": .failed,  // password
        "E1005": .failed,  // merchant code
        "E1006": .failed,  // merchant account code
        "E1007": .failed,  // tender type
        "E1008": .failed,  // transaction type
        "E1009": .failed,  // payment request
        "E1010": .failed,  // reference number
        "E1011": .failed,  // no network
        "E1012": .failed,  // no reader
        "E1013": .unknown,  // the answer's XML could not be read
        "E1014": .failed,  // the request's XML could not be written
        "E1015": .failed,  // the request's base64 could not be written
        "E1016": .unknown,  // the answer's base64 could not be read
        "E1017": .unknown,
        "E1018": .unknown,
        "E1019": .cancelled,  // the reader timed out
        "E1020": .cancelled,
    ]

    /// Nothing was posted for certain only if no connection was ever made: bad address, unknown host, no route, name
    /// not resolved, not connected to the internet, no roaming, no data during a call.
    private static let unconnected: Set<Int> = [-1000, -1002, -1003, -1004, -1006, -1009, -1018, -1020]

    /// The network is unreachable (51), the connection was refused (61), there is no route to the host (65).
    private static let unreachable: Set<Int> = [51, 61, 65]
}
