import Payments
import Redaction

/// The app's commands to the terminal (YouTransactor mPOS SDK for iOS, RPC command classes; numbers from the SDK's
/// sample application, `RPC.Command`).
enum UCubeCommand: String, CaseIterable {
    // System and drivers.
    case getInfo = "GetInfoCommand"
    case setInfoField = "SetInfoFieldCommand"
    case waitCard = "WaitCardCommand"
    case waitCardRemoval = "WaitCardRemovalCommand"
    case displayChoice = "DisplayChoiceCommand"
    case displayMessage = "DisplayMessageCommand"
    case powerOff = "PowerOffCommand"
    case cancel = "CancelCommand"
    // System kernel.
    case enterSecureSession = "EnterSecureSessionCommand"
    case exitSecureSession = "ExitSecureSessionCommand"
    case installForLoad = "InstallForLoadCommand"
    case installForLoadKey = "InstallForLoadKeyCommand"
    case load = "LoadCommand"
    case simplifiedOnlinePIN = "SimplifiedOnlinePINCommand"
    // Payment kernel.
    case bankParametersDownloads = "BankParametersDownloads"
    case getEMVParameters = "GetEMVParametersCommand"
    case buildCandidateList = "BuildCandidateListCommand"
    case startNFCTransaction = "StartNFCTransactionCommand"
    case completeNFCTransaction = "CompleteNFCTransactionCommand"
    case getPlainTag = "GetPlainTagCommand"
    case getSecuredTag = "GetSecuredTagCommand"
    case initTransaction = "InitTransactionCommand"
    case transactionFinalization = "TransactionFinalizationCommand"
    case transactionProcess = "TransactionProcessCommand"

    var number: UInt16 {
        switch self {
        case .getInfo: 0x5001
        case .setInfoField: 0x5003
        case .waitCard: 0x5020
        case .waitCardRemoval: 0x5021
        case .displayChoice: 0x5042
        case .displayMessage: 0x5040
        case .powerOff: 0x5060
        case .cancel: 0x0202
        case .enterSecureSession: 0x5101
        case .exitSecureSession: 0x5102
        case .installForLoad: 0x5160
        case .installForLoadKey: 0x5130
        case .load: 0x5161
        case .simplifiedOnlinePIN: 0x5171
        case .bankParametersDownloads: 0x5501
        case .getEMVParameters: 0x5503
        case .buildCandidateList: 0x5510
        case .startNFCTransaction: 0x5530
        case .completeNFCTransaction: 0x5531
        case .getPlainTag: 0x5026
        case .getSecuredTag: 0x5025
        case .initTransaction: 0x5511
        case .transactionFinalization: 0x5513
        case .transactionProcess: 0x5512
        }
    }

    /// The event that a success reports, beside the answer itself.
    var success: DeviceEventName? {
        switch self {
        case .getInfo: .readerIdentified
        case .waitCard: .cardPresented
        case .waitCardRemoval: .cardRemoved
        case .powerOff: .readerDisconnected
        case .cancel: .cancelRequested
        case .simplifiedOnlinePIN: .pinEntered
        default: nil
        }
    }
}

/// The status of a command's answer (`RPC` return codes of the SDK's sample application).
enum UCubeCommandStatus: Int, CaseIterable {
    case success = 0
    case timeout = -2
    case actionCancelled = -28
    case cancelled = -32
    case noCard = -35
    case aborted = -114
    case badTerminalState = -287
    case emvNotSupported = -300
    case emvNotAccepted = -301
    case notReady = -0x102A
}

/// The calls of an app (`UCubeAPI` and the connection manager) that have no callback, or whose call itself is reported.
enum UCubeMethod: String, CaseIterable {
    case getVersionName, setConnexionManager, setConnectionManager, setupLogger, pay, setLocale, geLocale, getLocale
    case getSupportedLocaleList, sendData, close
    case mdmSetup, mdmRegister, mdmUnregister, isMdmManagerReady, mdmCheckUpdate, mdmUpdate, mdmSendLogs
    case startScan, stopScan, setDevice, getDevice, isConnected, connect, disconnect, send

    init?(named text: String) {
        let name = SensitiveNames.normalized(text)
        guard let method = Self.allCases.first(where: { SensitiveNames.normalized($0.rawValue) == name }) else {
            return nil
        }
        self = method
    }
}

/// The tags of a uCube's own data (`RPC.Tag`, get info tags).
enum UCubeInfoTag: UInt32, CaseIterable {
    case atmelSerial = 0xC1
    case terminalPN = 0xC2
    case terminalSN = 0xC3
    case terminalState = 0xC4
    case batteryState = 0xC5
    case powerOffTimeout = 0xC6
    case systemFailureLogRecord1 = 0xCB
    case systemFailureLogRecord2 = 0xCC
    case ksnFormats = 0xCD
    case firmwareVersion = 0xD1
    case svppChecksum = 0xD2
    case pciPedVersion = 0xD3
    case pciPedChecksum = 0xD4
    case emvL1Version = 0xD5
    case emvL1Checksum = 0xD6
    case emvL2Version = 0xD7
    case emvL2Checksum = 0xD8
    case bootLoaderVersion = 0xD9
    case bootLoaderChecksum = 0xDA
    case kslID = 0xDB
    case nfcInfo = 0xE8
    case usbCapability = 0xE9
    case emvICCConfigVersion = 0xEA
    case emvNFCConfigVersion = 0xEB
    case osVersion = 0xEC
    case mPOSModuleState = 0xED
    case transactionConfig = 0xF0
    case transactionData = 0xF1

    var isVersion: Bool {
        switch self {
        case .firmwareVersion, .pciPedVersion, .emvL1Version, .emvL2Version, .bootLoaderVersion, .emvICCConfigVersion,
            .emvNFCConfigVersion, .osVersion:
            true
        default: false
        }
    }
}
