import Canonical
import EMV
import Payments

/// A uCube's own data: `uCubeInfo` and the answer to GetInfo as TLV, or `DeviceInfo` with its members.
struct UCubeInfo {
    private(set) var serial: String?
    private(set) var identity = ReaderIdentity()
    /// In percent.
    private(set) var battery: Int?
    private(set) var isCharging: Bool?
    private(set) var details: [Detail] = []
    private(set) var anomalies: [Anomaly] = []

    /// The info under the first of these names; nil if there is none.
    ///
    /// - Throws: `malformedDocument`.
    static func read(_ document: UCubeDocument, _ names: String...) throws -> UCubeInfo? {
        for name in names where document.fields.has(name) {
            if document.hasObject(name) {
                return try document.part(name).map { try UCubeInfo($0) }
            }
            guard let bytes = try document.data(name) else { return nil }
            return UCubeInfo(bytes)
        }
        return nil
    }

    /// `DeviceInfo`.
    init(_ document: UCubeDocument) throws {
        let fields = document.fields
        serial = try fields.identifier("serial", "serialnumber", "terminalsn")
        identity.model = try fields.text("partnumber", "terminalpn", "model")
        let versions: [(String, String)] = [
            ("svppfirmware", "firmware"), ("firmwareversion", "firmware"), ("iccemvconfigversion", "emvICCConfig"),
            ("nfcemvconfigversion", "emvNFCConfig"), ("osversion", "os"), ("blefirmwareversion", "bleFirmware"),
            ("resourcesfileversion", "resourcesFile"), ("sdkversion", "sdk"),
        ]
        for (name, label) in versions {
            guard let version = try fields.text(name) else { continue }
            identity.versions = (identity.versions ?? []) + [Detail(label, Self.shortened(version))]
        }
        if let text = try fields.text("batterystate", "batterylevel") {
            battery = Int(text).flatMap { 0...100 ~= $0 ? $0 : nil }
            if battery == nil { anomalies.append(UCubeAnomaly.malformed("batteryState", "a percentage")) }
        }
        try readCharging(try fields.text("chargingstatus", "terminalchargingstatus"))
        for name in ["terminalstate", "autopowerofftimeout", "merchantlocale", "speedmode"] {
            if let text = try fields.text(name) { details.append(Detail(name, Self.shortened(text))) }
        }
        let locales = document.texts("supportedlocalelist")
        if !locales.isEmpty {
            details.append(Detail("supportedLocaleList", Self.shortened(locales.joined(separator: ","))))
        }
    }

    /// 0 not charging, 1 charging, 3 full and plugged in.
    private mutating func readCharging(_ text: String?) throws {
        switch text {
        case nil: break
        case "0", "false": isCharging = false
        case "1", "true": isCharging = true
        case "3":
            isCharging = false
            details.append(Detail("chargingStatus", "3"))
        default: anomalies.append(UCubeAnomaly.unknownValue("chargingStatus", text ?? ""))
        }
    }

    /// The terminal's TLV, in which no tag is a template.
    private init(_ bytes: [UInt8]) {
        guard let objects = try? TLVReader(opensTemplates: false).read(bytes).objects else {
            anomalies.append(UCubeAnomaly.malformed("uCubeInfo", "the terminal's TLV"))
            return
        }
        for object in objects {
            let value = object.value ?? []
            guard let tag = UCubeInfoTag(rawValue: object.tag.number) else {
                details.append(Detail(object.tag.hex, Self.shortened(Hexadecimal.text(value))))
                continue
            }
            switch tag {
            case .terminalSN: serial = Self.text(value)
            case .terminalPN: identity.model = Self.text(value)
            case .batteryState:
                battery = value.count == 1 && value[0] <= 100 ? Int(value[0]) : nil
                if battery == nil { anomalies.append(UCubeAnomaly.malformed("batteryState", "a percentage")) }
            case _ where tag.isVersion:
                identity.versions =
                    (identity.versions ?? []) + [Detail("\(tag)", Self.shortened(Hexadecimal.text(value)))]
            default: details.append(Detail("\(tag)", Self.shortened(Hexadecimal.text(value))))
            }
        }
        // Early models have serial and part number interchanged (SDK for Android, `DeviceInfos`).
        if let number = serial, number.uppercased().contains("UCUBE"),
            identity.model?.uppercased().contains("UCUBE") != true
        {
            (serial, identity.model) = (identity.model, number)
        }
    }

    /// ASCII without padding, or else hexadecimal digits.
    private static func text(_ bytes: [UInt8]) -> String? {
        let trimmed = Array(bytes.drop { $0 == 0 || $0 == 0x20 }.reversed().drop { $0 == 0 || $0 == 0x20 }.reversed())
        guard !trimmed.isEmpty else { return nil }
        let isText = trimmed.count <= 64 && trimmed.allSatisfy { (0x21...0x7E).contains($0) }
        return isText ? String(decoding: trimmed, as: UTF8.self) : shortened(Hexadecimal.text(trimmed), to: 64)
    }

    static func shortened(_ text: String, to count: Int = 256) -> String {
        text.utf8.count <= count ? text : String(text.unicodeScalars.prefix(count).map(Character.init))
    }

    var reader: ReaderReference? { serial.map { ReaderReference(vendor: .youtransactor, serial: $0) } }

    /// The events for the reader's identity and its battery.
    func events(at: ReportedTime?) -> [DeviceEvent] {
        var events: [DeviceEvent] = []
        if identity != ReaderIdentity() || !details.isEmpty || serial != nil {
            events.append(
                DeviceEvent(
                    .readerIdentified,
                    DeviceReport(
                        reader: reader,
                        identity: identity == ReaderIdentity() ? nil : identity,
                        details: details.isEmpty ? nil : details,
                        at: at
                    )
                )
            )
        }
        if battery != nil || isCharging != nil {
            events.append(
                DeviceEvent(
                    .readerBatteryReported,
                    DeviceReport(reader: reader, battery: battery, isCharging: isCharging, at: at)
                )
            )
        }
        return events
    }
}

/// Anomalies of documents that can still be read.
enum UCubeAnomaly {
    /// - Parameter value: The document's value. A value that is too long or has other characters than names have is not
    ///   repeated.
    static func unknownValue(_ field: String, _ value: String) -> Anomaly {
        let isName =
            (1...64).contains(value.utf8.count)
            && value.utf8.allSatisfy { (0x21...0x7E).contains($0) || $0 == 0x20 }
        return Anomaly(
            .unknownValue,
            isName ? "\(field) is \(value), which is not documented" : "\(field) has a value that is not documented"
        )
    }

    static func malformed(_ field: String, _ expected: String) -> Anomaly {
        Anomaly(.malformedField, "\(field) is not \(expected)")
    }
}
