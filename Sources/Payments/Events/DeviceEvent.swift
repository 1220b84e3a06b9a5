package import Canonical

/// A report by a card reader, a terminal or the SDK on the device.
package typealias DeviceEvent = ReportEvent<DeviceEventName>

/// The names of the event types, as stored.
package enum DeviceEventName: String, ReportName {
    package typealias Report = DeviceReport

    case readerDiscovered = "ReaderDiscovered"
    case readerConnected = "ReaderConnected"
    case readerDisconnected = "ReaderDisconnected"
    /// The reader reported its model, serial number and versions.
    case readerIdentified = "ReaderIdentified"
    /// The reader received its configuration and keys from its host, or was registered there.
    case readerInitialized = "ReaderInitialized"
    case readerStateChanged = "ReaderStateChanged"
    case readerBatteryReported = "ReaderBatteryReported"
    case readerErrorReported = "ReaderErrorReported"
    case readerLogReported = "ReaderLogReported"
    case readerUpdateFound = "ReaderUpdateFound"
    case readerUpdated = "ReaderUpdated"
    case readerUpdateFailed = "ReaderUpdateFailed"
    case barcodeScanned = "BarcodeScanned"
    case commandSent = "CommandSent"
    case commandAnswered = "CommandAnswered"
    case cardRequested = "CardRequested"
    case cardPresented = "CardPresented"
    case cardRemoved = "CardRemoved"
    case applicationSelected = "ApplicationSelected"
    case pinRequested = "PINRequested"
    case pinEntered = "PINEntered"
    case signatureRequested = "SignatureRequested"
    case signatureAccepted = "SignatureAccepted"
    case signatureDeclined = "SignatureDeclined"
    case signatureTimedOut = "SignatureTimedOut"
    case authorizationSent = "AuthorizationSent"
    case authorizationAnswered = "AuthorizationAnswered"
    case cancelRequested = "CancelRequested"
    case receiptPrinted = "ReceiptPrinted"
}

extension Detail {
    /// In a reader's report: no update of its software or configuration is due.
    package static let noUpdatesDue = Detail("updatesDue", "none")

    /// The name of the details that list the components of which no update is due, if a check covered only these.
    package static let componentUpToDate = "upToDate"
}

/// A card reader or terminal.
package struct ReaderReference: Sendable, Hashable, Codable {
    /// The serial of a reader that neither a document nor a sender names.
    package static let unidentified = "unidentified"

    package var vendor: Vendor
    /// The serial number, or the terminal's or the app's name for it if only that is known.
    package var serial: String

    package init(vendor: Vendor, serial: String) {
        self.vendor = vendor
        self.serial = serial
    }
}

/// The names of one reader by their role, as one document gives them together.
package struct ReaderNames: Sendable, Hashable, Codable {
    /// How well a name identifies a reader, weakest first.
    package enum Role: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
        /// The name that the reader shows over Bluetooth, or the app's name for it.
        case name
        /// The phone's identifier of the Bluetooth device.
        case identifier
        case serial

        package static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .name: 0
            case .identifier: 1
            case .serial: 2
            }
        }
    }

    package var serial: String?
    package var identifier: String?
    package var name: String?
    /// The account of the terminal's batches at the host (Dejavoo: the TPN). Under its other names are the same batches.
    package var account: String?

    package init(serial: String? = nil, identifier: String? = nil, name: String? = nil, account: String? = nil) {
        self.serial = serial
        self.identifier = identifier
        self.name = name
        self.account = account
    }

    /// The names that are known, strongest first.
    package var known: [(role: Role, name: String)] {
        [(Role.serial, serial), (.identifier, identifier), (.name, name)].compactMap { role, name in
            name.map { (role, $0) }
        }
    }
}

/// The model and versions of a reader.
package struct ReaderIdentity: Sendable, Hashable, Codable {
    package var model: String?
    /// Versions by component, under the vendor's names: `firmware`, `sdk`, `EMVL2`.
    package var versions: [Detail]?

    package init(model: String? = nil, versions: [Detail]? = nil) {
        self.model = model
        self.versions = versions
    }
}

/// What a printed receipt shows.
package struct PrintedReceipt: Sendable, Hashable, Codable {
    package var total: Money?
    package var authorizationCode: String?
    package var card: CardPresentation?

    package init(total: Money? = nil, authorizationCode: String? = nil, card: CardPresentation? = nil) {
        self.total = total
        self.authorizationCode = authorizationCode
        self.card = card
    }
}

/// The payload of every `DeviceEvent`.
package struct DeviceReport: Sendable, Hashable, Codable {
    /// The reporting reader; nil if the document does not name it.
    package var reader: ReaderReference?
    /// The reader's names, if the document has others than its serial number. The strongest is that of `reader`.
    package var names: ReaderNames?
    /// The vendor's code or name for the report, and its text.
    package var response: Response
    package var identity: ReaderIdentity?
    /// In percent.
    package var battery: Int?
    package var isCharging: Bool?
    package var details: [Detail]?
    package var at: ReportedTime?
    /// Set in `ReceiptPrinted`, if the document shows the receipt.
    package var receipt: PrintedReceipt?
    /// Set in `AuthorizationSent`: the amount that was to be paid with one tender.
    package var attempted: Money?

    package init(
        reader: ReaderReference? = nil,
        names: ReaderNames? = nil,
        response: Response = .init(),
        identity: ReaderIdentity? = nil,
        battery: Int? = nil,
        isCharging: Bool? = nil,
        details: [Detail]? = nil,
        at: ReportedTime? = nil,
        receipt: PrintedReceipt? = nil,
        attempted: Money? = nil
    ) {
        self.receipt = receipt
        self.attempted = attempted
        self.reader = reader
        self.names = names
        self.response = response
        self.identity = identity
        self.battery = battery
        self.isCharging = isCharging
        self.details = details
        self.at = at
    }
}
