import Payments
import Redaction

/// The state of a payment (YouTransactor mPOS SDK for iOS, `ServiceState`; the last five are from newer versions).
enum UCubeState: String, CaseIterable {
    case startCancelAll, startExitSecureSession, getInfo, enterSecureSession, ksnAvailable, startTransaction
    case cardReadEnd
    case authorization
    case getFinalizationSecuredTags, getFinalizationPlainTags, getCCL2Log, getF4L2Log, getF5L2Log, endExitSecureSession
    case smcBuildCandidateList, smcSelectApplication, smcUserSelectApplication, smcInitTransaction, smcRiskManagement
    case smcProcessTransaction, smcGetAuthorizationSecuredTags, smcGetAuthorizationPlainTags, smcFinalizeTransaction
    case smcRemoveCard
    case nfcGetAuthorizationSecuredTags, nfcGetAuthorizationPlainTags, nfcSimplifiedOnlinePin, nfcCompleteTransaction
    case waitingCard
    case onlinePIN = "ONLINE_PIN"
    case offlinePIN = "OFFLINE_PIN"
    case startICC = "START_ICC"
    case startNFC = "START_NFC"

    init?(named text: String) {
        guard let state = Self.named[SensitiveNames.normalized(text)] else { return nil }
        self = state
    }

    private static let named = Dictionary(
        uniqueKeysWithValues: allCases.map { (SensitiveNames.normalized($0.rawValue), $0) }
    )

    /// The reader event that reports it.
    var event: DeviceEventName {
        switch self {
        case .startTransaction, .waitingCard, .startICC, .startNFC: .cardRequested
        case .cardReadEnd: .cardPresented
        case .authorization: .authorizationSent
        case .nfcSimplifiedOnlinePin, .onlinePIN, .offlinePIN: .pinRequested
        default: .readerStateChanged
        }
    }

    /// True while the payment can still be cancelled: until the card is read. A contactless card is read within
    /// `startTransaction`, a contact card within `smcInitTransaction`.
    var allowsCancel: Bool {
        switch self {
        case .startCancelAll, .startExitSecureSession, .getInfo, .enterSecureSession, .ksnAvailable, .startTransaction,
            .waitingCard, .startICC, .startNFC, .smcBuildCandidateList, .smcSelectApplication,
            .smcUserSelectApplication, .smcInitTransaction:
            true
        case .cardReadEnd, .authorization, .getFinalizationSecuredTags, .getFinalizationPlainTags, .getCCL2Log,
            .getF4L2Log, .getF5L2Log, .endExitSecureSession, .smcRiskManagement, .smcProcessTransaction,
            .smcGetAuthorizationSecuredTags, .smcGetAuthorizationPlainTags, .smcFinalizeTransaction, .smcRemoveCard,
            .nfcGetAuthorizationSecuredTags, .nfcGetAuthorizationPlainTags, .nfcSimplifiedOnlinePin,
            .nfcCompleteTransaction, .onlinePIN, .offlinePIN:
            false
        }
    }
}
