/// Tag 9B: the steps that were performed.
package typealias TransactionStatusInformation = BitField<TransactionStep>

/// EMV book 3, annex C6.
package enum TransactionStep: UInt16, BitFlag {
    case offlineDataAuthentication = 0x0180
    case cardholderVerification = 0x0140
    case cardRiskManagement = 0x0120
    case issuerAuthentication = 0x0110
    case terminalRiskManagement = 0x0108
    case scriptProcessing = 0x0104

    package static let byteCount = 2

    package var meaning: String {
        switch self {
        case .offlineDataAuthentication: "offline data authentication"
        case .cardholderVerification: "cardholder verification"
        case .cardRiskManagement: "card risk management"
        case .issuerAuthentication: "issuer authentication"
        case .terminalRiskManagement: "terminal risk management"
        case .scriptProcessing: "script processing"
        }
    }
}
