/// Tag 95: the results of the terminal's checks.
package typealias TerminalVerificationResults = BitField<TerminalVerificationCheck>

/// EMV book 3, annex C5; names compared with binaryfoo/emv-bertlv.
package enum TerminalVerificationCheck: UInt16, BitFlag {
    case offlineDataAuthenticationNotPerformed = 0x0180
    case staticDataAuthenticationFailed = 0x0140
    case cardDataMissing = 0x0120
    case onExceptionFile = 0x0110
    case dynamicDataAuthenticationFailed = 0x0108
    case combinedDataAuthenticationFailed = 0x0104
    case staticDataAuthenticationSelected = 0x0102

    case versionsDiffer = 0x0280
    case applicationExpired = 0x0240
    case applicationNotYetEffective = 0x0220
    case serviceNotAllowed = 0x0210
    case newCard = 0x0208

    case cardholderVerificationNotSuccessful = 0x0380
    case unrecognizedVerificationMethod = 0x0340
    case pinTryLimitExceeded = 0x0320
    case pinPadAbsentOrBroken = 0x0310
    case pinNotEntered = 0x0308
    case onlinePINEntered = 0x0304

    case overFloorLimit = 0x0480
    case lowerOfflineLimitExceeded = 0x0440
    case upperOfflineLimitExceeded = 0x0420
    case selectedAtRandom = 0x0410
    case merchantForcedOnline = 0x0408

    case defaultTransactionCertificateListUsed = 0x0580
    case issuerAuthenticationFailed = 0x0540
    case scriptFailedBeforeFinalCryptogram = 0x0520
    case scriptFailedAfterFinalCryptogram = 0x0510

    package static let byteCount = 5

    package var meaning: String {
        switch self {
        case .offlineDataAuthenticationNotPerformed: "offline data authentication not performed"
        case .staticDataAuthenticationFailed: "static data authentication failed"
        case .cardDataMissing: "data missing on the chip"
        case .onExceptionFile: "card on the exception file"
        case .dynamicDataAuthenticationFailed: "dynamic data authentication failed"
        case .combinedDataAuthenticationFailed: "combined data authentication failed"
        case .staticDataAuthenticationSelected: "static data authentication selected"
        case .versionsDiffer: "card and terminal have different application versions"
        case .applicationExpired: "application expired"
        case .applicationNotYetEffective: "application not yet effective"
        case .serviceNotAllowed: "service not allowed for the card"
        case .newCard: "new card"
        case .cardholderVerificationNotSuccessful: "cardholder verification not successful"
        case .unrecognizedVerificationMethod: "unrecognised verification method"
        case .pinTryLimitExceeded: "PIN try limit exceeded"
        case .pinPadAbsentOrBroken: "PIN required, PIN pad absent or broken"
        case .pinNotEntered: "PIN required, PIN pad present, PIN not entered"
        case .onlinePINEntered: "online PIN entered"
        case .overFloorLimit: "over the floor limit"
        case .lowerOfflineLimitExceeded: "lower consecutive offline limit exceeded"
        case .upperOfflineLimitExceeded: "upper consecutive offline limit exceeded"
        case .selectedAtRandom: "selected at random for online processing"
        case .merchantForcedOnline: "merchant forced the transaction online"
        case .defaultTransactionCertificateListUsed: "default TDOL used"
        case .issuerAuthenticationFailed: "issuer authentication failed"
        case .scriptFailedBeforeFinalCryptogram: "script failed before the final cryptogram"
        case .scriptFailedAfterFinalCryptogram: "script failed after the final cryptogram"
        }
    }
}
