package import Canonical

/// What a card reader, a terminal or the SDK on the device tells.
package typealias DeviceEvent = ReportEvent<DeviceEventName>

/// The names of the event types, as they are stored.
package enum DeviceEventName: String, ReportName {
    package typealias Report = DeviceReport

    case readerDiscovered = "ReaderDiscovered"
    case readerConnected = "ReaderConnected"
    case readerDisconnected = "ReaderDisconnected"
    /// The reader told what it is: model, serial number, versions.
    case readerIdentified = "ReaderIdentified"
    /// The reader got its configuration and keys from its host, or was registered there.
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

/// A card reader or terminal.
package struct ReaderReference: Sendable, Hashable, Codable {
    /// Stands for a reader that no document and no sender names.
    package static let unidentified = "unidentified"

    package var vendor: Vendor
    /// The serial number; where only the terminal's or the app's name for it is known, that.
    package var serial: String

    package init(vendor: Vendor, serial: String) {
        self.vendor = vendor
        self.serial = serial
    }
}

/// What a reader is and runs.
package struct ReaderIdentity: Sendable, Hashable, Codable {
    package var model: String?
    /// Versions by what they are of, as the vendor names it: `firmware`, `sdk`, `EMVL2`.
    package var versions: [Detail]?

    package init(model: String? = nil, versions: [Detail]? = nil) {
        self.model = model
        self.versions = versions
    }
}

/// The payload of every `DeviceEvent`.
package struct DeviceReport: Sendable, Hashable, Codable {
    /// Who told; nil where the document does not say.
    package var reader: ReaderReference?
    /// The vendor's code or name for it, and its text.
    package var response: Response
    package var identity: ReaderIdentity?
    /// In percent.
    package var battery: Int?
    package var isCharging: Bool?
    package var details: [Detail]?
    package var at: Timestamp?

    package init(
        reader: ReaderReference? = nil,
        response: Response = .init(),
        identity: ReaderIdentity? = nil,
        battery: Int? = nil,
        isCharging: Bool? = nil,
        details: [Detail]? = nil,
        at: Timestamp? = nil
    ) {
        self.reader = reader
        self.response = response
        self.identity = identity
        self.battery = battery
        self.isCharging = isCharging
        self.details = details
        self.at = at
    }
}
