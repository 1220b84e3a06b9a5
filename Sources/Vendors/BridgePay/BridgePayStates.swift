import Payments
import Redaction

/// The state of a PayGuardian transaction: `PayGuardianTransactionState`, in the order of the SDK's header
/// `PayGuardianTransaction.h`.
enum BridgePayTransactionState: Int, Hashable, CaseIterable {
    case notStarted
    case waitingForCard
    case readingCard
    case chipCardWithUnreadChipSwiped
    case cardReadWithBrokenChip
    case cardReadWithError
    case waitingForGateway
    case respondingToCard
    case voiding
    case finished

    /// Accepts the number, or the name with or without the prefix `PayGuardianTransactionState`.
    init?(_ text: String) {
        var name = SensitiveNames.normalized(text)
        if name.hasPrefix("payguardiantransactionstate") { name.removeFirst("payguardiantransactionstate".count) }
        if let number = Int(name), let state = Self(rawValue: number) {
            self = state
        } else if let state = Self.allCases.first(where: { "\($0)".lowercased() == name }) {
            self = state
        } else {
            return nil
        }
    }

    var event: DeviceEventName {
        switch self {
        case .notStarted, .finished: .readerStateChanged
        case .waitingForCard: .cardRequested
        case .readingCard: .cardPresented
        case .chipCardWithUnreadChipSwiped, .cardReadWithBrokenChip, .cardReadWithError: .readerErrorReported
        case .waitingForGateway: .authorizationSent
        case .respondingToCard: .authorizationAnswered
        case .voiding: .commandSent
        }
    }
}

/// The state in `onReaderStateChanged`: `PayGuardianReaderState`. The guide prints two of its states and no numbers;
/// `Disconnected` is an assumption from its name.
enum BridgePayReaderState: String, Hashable, CaseIterable {
    case connected, disconnected
    case scanComplete = "scancomplete"

    init?(_ text: String) {
        var name = SensitiveNames.normalized(text)
        if name.hasPrefix("payguardianreaderstate") { name.removeFirst("payguardianreaderstate".count) }
        self.init(rawValue: name)
    }

    var event: DeviceEventName {
        switch self {
        case .connected: .readerConnected
        case .disconnected: .readerDisconnected
        case .scanComplete: .readerStateChanged
        }
    }
}

/// The messages `33.` between PayGuardian and an Ingenico reader during a chip transaction. PayGuardian iOS guide, EMV
/// implementation details. The guide mentions seven messages and describes five.
enum BridgePayChipMessage: String, Hashable, CaseIterable {
    /// To the reader: the kind of purchase.
    case initiation = "00"
    /// From the reader: the equivalent of the magnetic stripe's data.
    case trackEquivalent = "02"
    /// From the reader: the cryptogram for the query to the issuer.
    case authorizationRequest = "03"
    /// To the reader: the issuer's answer.
    case authorizationResponse = "04"
    /// From the reader: the chip's decision after the answer.
    case confirmation = "05"

    var event: DeviceEventName {
        switch self {
        case .initiation: .cardRequested
        case .trackEquivalent: .cardPresented
        case .authorizationRequest: .authorizationSent
        case .authorizationResponse: .authorizationAnswered
        case .confirmation: .commandAnswered
        }
    }
}
