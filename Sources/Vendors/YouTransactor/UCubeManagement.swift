import Canonical
import Payments
import Redaction

/// The binaries of an update (`MDM.Types` of the SDK's sample application).
enum UCubeBinary: Int, CaseIterable {
    case svppFirmware = 0
    case stFirmware = 3
    case iccConfig = 4
    case nfcConfig = 5
    case additionalFiles = 8

    var isFirmware: Bool {
        switch self {
        case .svppFirmware, .stFirmware: true
        case .iccConfig, .nfcConfig, .additionalFiles: false
        }
    }
}

extension UCubeReports {
    private func event(
        _ name: DeviceEventName,
        code: String? = nil,
        message: String? = nil,
        reader: ReaderReference? = nil,
        names: ReaderNames? = nil,
        identity: ReaderIdentity? = nil,
        details: [Detail] = []
    ) -> DeviceEvent {
        DeviceEvent(
            name,
            DeviceReport(
                reader: reader,
                names: names,
                response: Response(code: code, message: message),
                identity: identity,
                details: details.isEmpty ? nil : details,
                at: at
            )
        )
    }

    /// `success` of a management call.
    private func success() throws -> Bool {
        for name in ["success", "result", "ready", "isready"] {
            if let flag = try document.fields.flag(name) { return flag }
        }
        throw Refusal(
            .missingField,
            "The end of a call has success.",
            pointer: document.fields.pointer(to: "success")
        )
    }

    /// The calls to the terminal management server. The method is the kind up to the full stop.
    func management(_ method: UCubeMethod) throws -> Observation {
        let isDone = try success()
        let reader = try self.reader
        guard isDone || method == .isMdmManagerReady else {
            let name: DeviceEventName = method == .mdmUpdate ? .readerUpdateFailed : .readerErrorReported
            let text = try failure("message", "error")
            return observation([event(name, code: method.rawValue, message: text, reader: reader)])
        }
        switch method {
        case .mdmRegister, .mdmSetup:
            return observation([event(.readerInitialized, code: method.rawValue, reader: reader)])
        case .mdmCheckUpdate: return try check(reader)
        case .mdmUpdate:
            let (updates, anomalies) = try updates()
            return observation(reported(.readerUpdated, method.rawValue, reader, updates), anomalies)
        case .mdmSendLogs: return observation([event(.readerLogReported, code: method.rawValue, reader: reader)])
        default:
            return observation([
                event(.readerStateChanged, code: method.rawValue, message: String(isDone), reader: reader)
            ])
        }
    }

    private var reader: ReaderReference? {
        get throws {
            if let info = try UCubeInfo.read(document, "ucubeinfo", "deviceinfo") { return info.reader }
            return try document.fields.identifier("serial", "serialnumber").map {
                ReaderReference(vendor: .youtransactor, serial: $0)
            }
        }
    }

    /// The server's updates for the terminal, and the terminal's current versions.
    private func check(_ reader: ReaderReference?) throws -> Observation {
        let (updates, anomalies) = try updates()
        let versions = try configurations().flatMap { config in
            try config.fields.text("currentversion").map { version in
                [Detail(try label(of: config.fields), UCubeInfo.shortened(version))]
            } ?? []
        }
        var events: [DeviceEvent] = []
        if !versions.isEmpty {
            events.append(event(.readerIdentified, reader: reader, identity: ReaderIdentity(versions: versions)))
        }
        events +=
            updates.isEmpty
            ? [
                event(
                    .readerStateChanged,
                    code: "mdmCheckUpdate",
                    message: "up to date",
                    reader: reader,
                    details: try checked()
                )
            ]
            : reported(.readerUpdateFound, "mdmCheckUpdate", reader, updates)
        return observation(events, anomalies)
    }

    /// What a check without updates found to be up to date. Document 004, lines 392, 399 and 400: a check may be limited
    /// to firmware, and the second list of its result has what was compared. A check that has neither covers everything.
    private func checked() throws -> [Detail] {
        let listed = try configurations().compactMap { try name(of: $0.fields) }
        let isFirmwareOnly = try document.part("request")?.fields.flag("checkonlyfirmwareversion")
        guard try isFirmwareOnly ?? document.fields.flag("checkonlyfirmwareversion") ?? false else {
            return listed.isEmpty ? [.noUpdatesDue] : listed.map { Detail(Detail.componentUpToDate, $0) }
        }
        let firmware = UCubeBinary.allCases.filter(\.isFirmware).map { "\($0)" }
        let others = listed.filter { !firmware.contains($0) && $0.lowercased().contains("firmware") }
        return (firmware + others).map { Detail(Detail.componentUpToDate, $0) }
    }

    /// One event for each binary, so that each update is tracked separately; one event without a name if none is
    /// listed.
    private func reported(
        _ name: DeviceEventName,
        _ code: String,
        _ reader: ReaderReference?,
        _ updates: [[Detail]]
    ) -> [DeviceEvent] {
        (updates.isEmpty ? [[]] : updates).map { details in
            // An installed binary has its new version.
            let installed = name == .readerUpdated ? details.first { $0.name == "version" } : nil
            let binary = details.first { $0.name == "label" } ?? details.first { $0.name == "update" }
            let versions = installed.flatMap { version in binary.map { [Detail($0.value, version.value)] } }
            return event(
                name,
                code: code,
                reader: reader,
                identity: versions.map { ReaderIdentity(versions: $0) },
                details: details
            )
        }
    }

    /// The objects of a member with this name, or of `parameters[index]` of the callback, else of the `request`:
    /// `mdmUpdate` is called with the updates to install. Document 004, lines 76 and 409.
    private func objects(_ name: String, at index: Int) throws -> [UCubeDocument] {
        let named = document.parts(name)
        guard named.isEmpty else { return named }
        guard let parameters = document.list("parameters"), parameters.indices.contains(index),
            case .array(let elements) = parameters[index], !elements.isEmpty
        else { return document.hasObject("request") ? try document.part("request")?.parts(name) ?? [] : [] }
        return elements.enumerated().compactMap { place, element in
            element.object.map { UCubeDocument($0, at: "\(document.fields.pointer)/parameters/\(index)/\(place)") }
        }
    }

    private func configurations() throws -> [UCubeDocument] {
        Array(try objects("configs", at: 1).prefix(32))
    }

    /// `[BinaryUpdate]`: the binary, its version, and whether the update is mandatory.
    private func updates() throws -> ([[Detail]], [Anomaly]) {
        var updates: [[Detail]] = []
        var anomalies: [Anomaly] = []
        for update in try objects("updates", at: 0).prefix(32) {
            let config = try update.part("config", "cfg") ?? update
            if let text = try config.fields.text("type"), Int(text).flatMap({ UCubeBinary(rawValue: $0) }) == nil {
                anomalies.append(UCubeAnomaly.unknownValue("type", text))
            }
            var details: [Detail] = []
            if let name = try name(of: config.fields) { details.append(Detail("update", name)) }
            if let label = try config.fields.text("label", "name") {
                details.append(Detail("label", UCubeInfo.shortened(label, to: 64)))
            }
            if let version = try config.fields.text("minversion", "version", "currentversion") {
                details.append(Detail("version", UCubeInfo.shortened(version)))
            }
            if let isMandatory = try update.fields.flag("mandatory") {
                details.append(Detail("mandatory", String(isMandatory)))
            }
            updates.append(details)
        }
        return (updates, anomalies)
    }

    /// The update's name, the same whether the document has its type, its label or both.
    private func name(of fields: Fields) throws -> String? {
        let type = try fields.text("type")
        let label = try fields.text("label", "name")
        let byLabel = label.map { SensitiveNames.normalized($0) }
        let binary =
            type.flatMap { Int($0) }.flatMap { UCubeBinary(rawValue: $0) }
            ?? UCubeBinary.allCases.first { "\($0)".lowercased() == byLabel }
        return binary.map { "\($0)" } ?? label.map { UCubeInfo.shortened($0, to: 64) }
            ?? type.map { UCubeInfo.shortened("type \($0)", to: 64) }
    }

    private func label(of fields: Fields) throws -> String {
        if let label = try fields.text("label", "name") { return UCubeInfo.shortened(label, to: 64) }
        let binary = try fields.text("type").flatMap { Int($0) }.flatMap { UCubeBinary(rawValue: $0) }
        return binary.map { "\($0)" } ?? "update"
    }

    // MARK: Connection

    /// The connection manager: the device and its connection. A nil device was not found.
    func connection(_ name: DeviceEventName) throws -> Observation {
        let device = try document.part("device", "ucubedevice")
        let flag = try document.fields.flag("success") ?? document.fields.flag("isconnected")
        // Document 004, line 126: no device answers to the identifier.
        let isNotFound =
            device == nil && flag == nil
            && ["ConnectionManager.setDevice", "ConnectionManager.getDevice"].contains(kind)
        let failure = try self.failure("error") ?? (isNotFound ? "no device found" : nil)
        guard
            device != nil || flag != nil || failure != nil
                || name == .readerDisconnected && document.fields.has("reason")
        else {
            throw Refusal(
                .missingField,
                "A connection must name its device, or report success or error.",
                pointer: document.fields.pointer(to: "device")
            )
        }
        let label = try device?.fields.text("name")
        let names = ReaderNames(
            serial: try device?.fields.identifier("serial", "serialnumber"),
            identifier: try device?.fields.identifier("identifier", "uuid"),
            name: label.map { UCubeInfo.shortened($0, to: 64) }
        )
        let reader = names.known.first.map { ReaderReference(vendor: .youtransactor, serial: $0.name) }
        let details = label.map { [Detail("name", UCubeInfo.shortened($0))] } ?? []
        let isFailed = flag == false || failure != nil
        let reported =
            isFailed && name != .readerDisconnected
            ? event(
                .readerErrorReported,
                code: kind,
                message: failure,
                reader: reader,
                names: reader == nil ? nil : names,
                details: details
            )
            : event(
                name,
                code: kind,
                message: try failure ?? self.failure("reason"),
                reader: reader,
                names: reader == nil ? nil : names,
                details: details
            )
        return observation([reported], reader: reader)
    }

    // MARK: Log

    /// `Loggable`.
    func log(isError: Bool) throws -> Observation {
        // The document keeps the whole line.
        guard let message = try failure("message") else {
            throw Refusal(.missingField, "A log line has a message.", pointer: document.fields.pointer(to: "message"))
        }
        var details: [Detail] = []
        for name in ["error", "filePath", "functionName"] {
            if let text = try failure(SensitiveNames.normalized(name)) {
                details.append(Detail(name, UCubeInfo.shortened(text)))
            }
        }
        return observation([
            event(
                isError ? .readerErrorReported : .readerLogReported,
                code: kind,
                message: message,
                details: details
            )
        ])
    }
}
