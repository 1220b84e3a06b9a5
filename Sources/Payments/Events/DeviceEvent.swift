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

/// The payload of every `DeviceEvent`.
package struct DeviceReport: Sendable, Hashable, Codable {
    /// The reporting reader; nil if the document does not name it.
    package var reader: ReaderReference?
    /// The vendor's code or name for the report, and its text.
    package var response: Response
    package var identity: ReaderIdentity?
    /// In percent.
    package var battery: Int?
    package var isCharging: Bool?
    package var details: [Detail]?
    package var at: ReportedTime?

    package init(
        reader: ReaderReference? = nil,
        response: Response = .init(),
        identity: ReaderIdentity? = nil,
        battery: Int? = nil,
        isCharging: Bool? = nil,
        details: [Detail]? = nil,
        at: ReportedTime? = nil
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
