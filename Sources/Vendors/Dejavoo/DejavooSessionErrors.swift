import Payments
import Redaction

/// The reason why iPOSgo's card reader or account was not available: one case of one of its three enumerations.
protocol SessionError: CaseIterable, RawRepresentable<String>, Sendable {
    /// The name of the SDK's enumeration.
    static var table: String { get }
    /// The meaning for the requested payment; nil for cases that are not errors.
    var meaning: CodeMeaning? { get }
}

extension SessionError {
    var code: String { String(describing: self) }
}

/// Errors while the reader session is prepared. Source: iOS deep linking V1, payment session errors; the raw value is
/// the text that the SDK sends.
///
/// No card is read during preparation, so nothing can have been posted.
enum PaymentSessionError: String, SessionError {
    case notAllowed = "Account not allowed."
    case backgroundRequestNotAllowed = "Background request not allowed."
    case unsupported = "Unsupported hardware or a problem with the device"
    case osVersionNotSupported = "Please update your app to the latest iOS version."
    case modelNotSupported = "Current device doesn't support NFC."
    case networkError = "Please check your network settings and try again."
    case networkAuthenticationError = "An authentication error occurred during the server connection."
    case serviceConnectionError = "Internal service is unavailable."
    case notReady = "Please try the session again to resolve the issue."
    case emptyReaderToken = "The token is empty, making it invalid."
    case prepareExpired = "Please reinitiate the session to try again"
    case tokenExpired = "Token Expired."
    case readerMemoryFull = "The card reader is busy."
    case accountNotLinked = "Accept the Terms and Conditions using a valid Apple ID."
    case accountAlreadyLinked = "Terms and Conditions have already been accepted."
    case accountLinkingFailed = "The system couldn't link or relink the merchant using the provided Apple ID."
    case accountLinkingRequiresiCloudSignIn =
        "Please accept the Terms and Conditions on your device while signed into iCloud"
    case accountLinkingCancelled = "The linking or relinking operation has been canceled."
    case merchantBlocked = "The merchant is blocked"
    case invalidMerchant = "The merchant is invalid or unknown"
    /// Has no text, and does not show how far the payment had progressed.
    case somethingWentWrong = ""

    static let table = "PaymentSessionError"

    var meaning: CodeMeaning? {
        switch self {
        // The terms are accepted: no error (document 003, @34278).
        case .accountAlreadyLinked: nil
        case .accountLinkingCancelled: .cancelled
        case .somethingWentWrong: .unknown
        default: .failed
        }
    }
}

/// Errors while the card is read. Source: iOS deep linking V1, card reader session errors.
///
/// The host is contacted after the card was read and the PIN captured. An error of either means that the host was not
/// contacted.
enum CardReaderSessionError: String, SessionError {
    case cardReadFailed = "The reader was unable to read a card"
    case invalidAmount = "Amount must be positive and contain less than 10 digits."
    case invalidCurrencyCode = "Currency code in the request must follow the ISO 4217 standard."
    case nfcDisabled = "The user needs to enable their NFC"
    case noReaderSession = "No reader session is available or the session isn't ready."
    case passcodeDisabled = "Passcode disabled. Please set a security passcode on your device."
    case paymentCardDeclined = "The payment card declined the transaction."
    case paymentReadFailed = "An internal failure prevented the read operation."
    case pinCancelled = "The current PIN capture was canceled, thereby canceling any ongoing read operation."
    case pinNotAllowed = "The time window for capturing a PIN after a card read has expired."
    case pinEntryFailed = "An error occurred when capturing the PIN."
    case pinEntryTimeout = "The ongoing PIN capture was not completed within the given time."
    case pinTokenInvalid = "An error that indicates an invalid PIN token."
    case readFromBackgroundError = "Read operations aren't allowed when an app is running in the background."
    case readNotAllowed = "This error usually occurs when there's an entitlement issue."
    case readNotAllowedDuringCall = "Read operations aren't allowed during a phone call."
    case readerServiceConnectionError = "The session wasn't able to connect the system UI or other services"
    case readerServiceError = "Reader service internal state issue occurred."
    case readerSessionAuthenticationError = "An authentication error occurred while refreshing reader session"
    case readerSessionBusy = "The reader is busy with another session."
    case readerSessionExpired = "The reader session expired and couldn't refresh due to other state changes."
    case readerSessionNetworkError = "Network error occurred that prevented a reader session refresh."
    case readerTokenExpired = "The configuration token for the reader session expired."
    /// A loyalty pass could not be read. It is not documented whether the payment continues without it.
    case vasReadFail = "Error occurred when reading a loyalty pass."
    case invalidReaderToken = "Invalid reader token"
    case prepareFailed = "Prepare session failed"

    static let table = "CardReaderSessionError"

    var meaning: CodeMeaning? {
        switch self {
        case .paymentCardDeclined: .declined
        case .pinCancelled: .cancelled
        case .vasReadFail: .unknown
        default: .failed
        }
    }
}

/// iPOSgo's own messages. Source: iOS deep linking V1, custom error messages. Two of them are not errors.
enum CustomErrorMessage: String, SessionError {
    case entitlementIssue = "Please check the tap on phone entitlement configuration."
    case environmentIssue = "The token key environment is not acceptable."
    case deviceSupportTapOnPay = "Device Supports Tap to Pay"
    case deviceUnSupportTapOnPay = "Your current device does not support NFC."
    case readerSessionCleanUp = "Reader session cleaned up"

    static let table = "CustomErrorMessage"

    var meaning: CodeMeaning? {
        switch self {
        case .deviceSupportTapOnPay, .readerSessionCleanUp: nil
        default: .failed
        }
    }
}

/// The table in which an error is looked up. V2 sends a text that may belong to any of the enumerations.
enum SessionErrorTable {
    case any, paymentSession, cardReaderSession, custom

    /// The name of the SDK's enumeration; nil for all of them.
    var name: String? {
        switch self {
        case .any: nil
        case .paymentSession: PaymentSessionError.table
        case .cardReaderSession: CardReaderSessionError.table
        case .custom: CustomErrorMessage.table
        }
    }
}

/// One row of the error tables.
struct SessionErrorEntry: Hashable {
    var table: String
    var code: String
    var message: String
    var meaning: CodeMeaning?

    private init(_ error: some SessionError) {
        table = type(of: error).table
        code = error.code
        message = error.rawValue
        meaning = error.meaning
    }

    /// Every row of every table, in the order of the guide.
    static let all: [SessionErrorEntry] =
        PaymentSessionError.allCases.map { SessionErrorEntry($0) }
        + CardReaderSessionError.allCases.map { SessionErrorEntry($0) }
        + CustomErrorMessage.allCases.map { SessionErrorEntry($0) }

    /// The error with this name or text.
    ///
    /// - Parameter text: The name of a case, `.name`, or the text that the SDK sends, which may be empty. Only letters
    ///   and digits are compared, because apps print the texts with and without the closing full stop.
    static func named(_ text: String, in table: SessionErrorTable = .any) -> SessionErrorEntry? {
        let wanted = SensitiveNames.normalized(text)
        guard !wanted.isEmpty || text.isEmpty else { return nil }
        return all.first { entry in
            (table.name == nil || entry.table == table.name)
                && (SensitiveNames.normalized(entry.code) == wanted
                    || SensitiveNames.normalized(entry.message) == wanted)
        }
    }
}
