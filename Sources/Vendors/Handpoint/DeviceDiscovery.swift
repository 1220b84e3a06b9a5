import Canonical
import Payments
import Redaction

/// Readers that are found, connected and lost, and the identity of readers and SDK: `HeftDiscoveryDelegate`,
/// `didConnect`, `HeftRemoteDevice`, `mpedInfo`, `HeftManager`.
struct DeviceDiscovery {
    private let value: JSONValue
    private let kind: String
    private let context: DocumentContext

    init(_ value: JSONValue, kind: String, context: DocumentContext) {
        self.value = value
        self.kind = kind
        self.context = context
    }

    func observation() throws -> Observation {
        switch kind {
        case "didConnect", "HeftClient", "mpedInfo": return try connection()
        case "didFindAccessoryDevice", "HeftRemoteDevice": return try device(.readerDiscovered, "newDevice")
        case "didLostAccessoryDevice": return try device(.readerDisconnected, "oldDevice")
        case "didDiscoverFinished": return try discoveryEnd()
        case "isTransactionResultPending": return try pendingResult()
        default: return try version()
        }
    }

    private func fields() throws -> Fields {
        guard case .object(let object) = value else {
            throw Refusal(.malformedDocument, "The document is a JSON object.", pointer: "")
        }
        return Fields(object)
    }

    private func observation(
        _ names: [DeviceEvent.Name],
        _ reader: ReaderReference?,
        identity: ReaderIdentity? = nil,
        _ details: [Detail]
    ) -> Observation {
        let report = DeviceReport(
            reader: reader,
            response: Response(code: kind),
            identity: identity,
            details: details.isEmpty ? nil : details,
            at: context.reportedTime
        )
        return FinanceFacts.observation(names.map { DeviceEvent($0, report) }, reader, [], context)
    }

    // MARK: Connections

    /// The client that `didConnect` passes, with the data its reader sent on connecting. Without a client there is no
    /// connection.
    private func connection() throws -> Observation {
        let fields = try fields()
        if case .object(let object) = value, object["client"] == .null {
            return observation([.readerErrorReported], nil, [Detail("client", "nil")])
        }
        let client = try fields.object("client") ?? fields
        let info = try client.object("mpedinfo") ?? client
        func reported(_ name: String) throws -> String? {
            try info.text(SensitiveNames.normalized(name), SensitiveNames.normalized("k\(name)InfoKey"))
        }
        let pending = try pending(info) ?? pending(client)
        let serial = try reported("SerialNumber")
        guard kind == "didConnect" || serial != nil else {
            throw Refusal(.missingField, "A reader has a SerialNumber.", pointer: info.pointer(to: "SerialNumber"))
        }
        var versions: [Detail] = []
        for name in ["PublicKeyVersion", "EMVParamVersion", "GeneralParam", "AppVersion"] {
            if let version = try reported(name) { versions.append(Detail(name, version)) }
        }
        var details: [Detail] = []
        for name in ["ManufacturerCode", "AppName"] {
            if let value = try reported(name) { details.append(Detail(name, value)) }
        }
        if let pending { details.append(Detail("TransactionResultPending", String(pending))) }
        let model = try reported("ModelCode")
        let reader = HandpointDetails.serial(serial).map {
            ReaderReference(vendor: .handpoint, serial: $0)
        }
        let knowsReader = model != nil || !versions.isEmpty
        return observation(
            (kind == "didConnect" ? [.readerConnected] : [])
                + (knowsReader || kind != "didConnect" ? [.readerIdentified] : []),
            reader,
            identity: knowsReader ? ReaderIdentity(model: model, versions: versions.isEmpty ? nil : versions) : nil,
            details
        )
    }

    /// Whether the reader stores a result that the app has not received. The reader reports it in the XML it sends on
    /// connecting.
    private func pending(_ info: Fields) throws -> Bool? {
        if let flag = try info.flag("istransactionresultpending") { return flag }
        for name in ["xmldetails", "kxmldetailsinfokey"] {
            if let reported = try HandpointDetails.dictionary(info, name),
                let flag = try reported.flag("transactionresultpending")
            {
                return flag
            }
        }
        return nil
    }

    private func pendingResult() throws -> Observation {
        let isPending: Bool? =
            if case .bool(let flag) = value { flag } else { try fields().flag("istransactionresultpending") }
        guard let isPending else {
            throw Refusal(
                .missingField,
                "isTransactionResultPending is YES or NO.",
                pointer: "/isTransactionResultPending"
            )
        }
        return observation([.readerStateChanged], nil, [Detail("TransactionResultPending", String(isPending))])
    }

    // MARK: Devices

    private func device(_ name: DeviceEvent.Name, _ parameter: String) throws -> Observation {
        let fields = try fields()
        let device = try fields.object(SensitiveNames.normalized(parameter), "device") ?? fields
        let (reader, details) = try Self.device(device)
        guard !details.isEmpty || reader != nil else {
            throw Refusal(.missingField, "A device has a name or an accessory.", pointer: device.pointer(to: "name"))
        }
        return observation([name], reader, identity: try Self.identity(device), details)
    }

    /// `HeftRemoteDevice`: a name, and the accessory as iOS describes it.
    static func device(_ device: Fields) throws -> (reader: ReaderReference?, details: [Detail]) {
        let accessory = try device.object("accessory") ?? device
        var details: [Detail] = []
        if let name = try device.text("name") { details.append(Detail("name", name)) }
        for field in ["manufacturer", "connectionID", "protocolStrings"] {
            guard case .array? = accessory.value(SensitiveNames.normalized(field)) else {
                if let text = try accessory.text(SensitiveNames.normalized(field)) {
                    details.append(Detail(field, text))
                }
                continue
            }
        }
        let serial = HandpointDetails.serial(try accessory.identifier("serialnumber"))
        return (serial.map { ReaderReference(vendor: .handpoint, serial: $0) }, details)
    }

    private static func identity(_ device: Fields) throws -> ReaderIdentity? {
        let accessory = try device.object("accessory") ?? device
        var versions: [Detail] = []
        for field in ["firmwareRevision", "hardwareRevision"] {
            if let text = try accessory.text(SensitiveNames.normalized(field)) { versions.append(Detail(field, text)) }
        }
        let model = try accessory.text("modelnumber")
        guard model != nil || !versions.isEmpty else { return nil }
        return ReaderIdentity(model: model, versions: versions.isEmpty ? nil : versions)
    }

    private func discoveryEnd() throws -> Observation {
        _ = try fields()
        return observation([.commandAnswered], nil, [Detail("discovery", "finished")])
    }

    // MARK: The SDK

    private func version() throws -> Observation {
        let isBuild = kind == "getSDKBuildNumber"
        let text: String?
        if case .string(let version) = value {
            text = version.isEmpty || version.utf8.count > 64 ? nil : version
        } else {
            text = try fields().text(isBuild ? "buildnumber" : "version", isBuild ? "build" : "sdkversion")
        }
        guard let text else {
            throw Refusal(.missingField, "The SDK's version or build number is expected.", pointer: "/version")
        }
        let identity = ReaderIdentity(versions: [Detail(isBuild ? "sdkBuild" : "sdk", text)])
        return observation([.readerIdentified], nil, identity: identity, [])
    }
}
