/// A request of BridgeComm: `requestHeader`, with the elements of its `requestMessage`.
package struct BridgeCommRequest: Sendable {
    /// `RequestType`: three digits.
    package var type: String
    /// `TransactionID`: the caller's reference for this request.
    package var transactionID: String
    /// Whether `User` and `Password`, or `PrivateKey` and `AuthenticationTokenId`, are present.
    package var isAuthenticated: Bool
    /// Values by element name; the first of several with the same name.
    package var message: [String: String]

    package init(type: String, transactionID: String, isAuthenticated: Bool, message: [String: String]) {
        self.type = type
        self.transactionID = transactionID
        self.isAuthenticated = isAuthenticated
        self.message = message
    }

    /// The value of an element; nil if it is absent or empty.
    subscript(name: String) -> String? { message[name].flatMap { $0.isEmpty ? nil : $0 } }
}

/// An answer of BridgeComm. Sources of the names of roots and elements: the BridgeComm integration guide, response
/// messages; PayGuardian iOS guide, `BridgeCommResponse`.
package struct BridgeCommAnswer: Sendable, Hashable {
    package struct Element: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    /// For example `Auth`, `Capture`, `VoidRefund`.
    package let root: String
    /// `TransactionID`, `RequestType`, `ResponseCode`, `ResponseDescription`.
    package let head: [Element]
    /// The elements of `responseMessage`, in order; nil if there is none.
    package let message: [Element]?

    /// The value of an element of the message, or of the head.
    package subscript(name: String) -> String? {
        (message ?? []).first { $0.name == name }?.value ?? head.first { $0.name == name }?.value
    }
}

/// The outcome of a request, before it becomes an answer.
struct BridgeCommOutcome {
    /// For example `A01`; nil if the gateway sends only a result code.
    var message: String?
    var text: String
    /// `GatewayResult`.
    var result: String

    var isApproval: Bool { message?.first == "A" }
    /// For example `A01 - Approved`.
    var line: String { message.map { "\($0) - \(text)" } ?? text }

    init(_ message: String?, _ text: String, _ result: String) {
        self.message = message
        self.text = text
        self.result = result
    }

    static let approved = Self("A01", "Approved", "00000")
    static let creditPosted = Self("A02", "Credit Posted", "00000")
    static let voidReversed = Self("A03", "Void Posted", "00000")
    static let noUpdate = Self("A04", "No Update", "10033")
    static let partialApproval = Self("A05", "Partial Approval", "00001")
    static let voidPosted = Self("A06", "Void Posted", "00000")
    static let partialVoid = Self("A07", "Partial Void", "00000")
    static let partialRefund = Self("A08", "Partial Refund", "00000")
    static let requestAccepted = Self("A10", "Request Accepted", "00000")
    static let tipPosted = Self("A12", "Tip Adjustment Posted", "00000")
    static let denied = Self("D01", "Denied by customer's bank", "30032")
    static let badCard = Self("D05", "Invalid Card", "30023")
    static let duplicate = Self("D09", "Duplicate Transaction", "30036")
    static let overRefundLimit = Self("D25", "Exceeds Refund Limit", "30032")
    static let settlementFailed = Self("D26", "Nothing to settle", "30028")
    static let missing = Self(nil, "Missing Reference", "10001")
    static let invalidVoid = Self(nil, "Invalid Void", "10033")
    static let alreadyVoided = Self(nil, "Already Voided", "10042")
    static let invalidAmount = Self(nil, "Invalid Amount", "30026")
    static let notFound = Self(nil, "Transaction not found", "800011")
    static let ambiguous = Self(nil, "More than one transaction found", "80003")
    static let invalidID = Self(nil, "Invalid GatewayTransID", "80008")
}
