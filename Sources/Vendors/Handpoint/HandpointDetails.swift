import Canonical
import Payments

/// `xml` of every response: what the card reader tells with it, and about itself.
///
/// Later versions of the SDK hand the same out as members of the response, so what the dictionary lacks is looked for
/// there. The dictionary may also come as the reader's XML itself.
struct HandpointDetails {
    let body: Fields
    let xml: Fields?
    /// About fields that no fact hangs on.
    private(set) var anomalies: [Anomaly] = []

    init(_ body: Fields) throws {
        self.body = body
        xml = try Self.dictionary(body, "xml")
    }

    /// An object, or the XML it was made from.
    static func dictionary(_ fields: Fields, _ name: String) throws -> Fields? {
        guard case .string(let text)? = fields.value(name) else { return try fields.object(name) }
        return Fields(ElementFields.object(from: text), at: fields.pointer(to: name))
    }

    // MARK: Fields

    func text(_ name: String, _ others: String...) throws -> String? {
        for name in [name] + others {
            if let text = try xml?.text(name) ?? body.text(name) { return text }
        }
        return nil
    }

    func identifier(_ name: String) throws -> String? { try xml?.identifier(name) ?? body.identifier(name) }

    func flag(_ name: String) throws -> Bool? { try xml?.flag(name) ?? body.flag(name) }

    /// Where an amount or its currency is.
    func holder(of name: String) -> Fields { xml?.has(name) == true ? xml ?? body : body }

    /// A value of one of the vendor's lists.
    ///
    /// - Returns: Nil where the field is not there, or is not on the list; that is an anomaly.
    mutating func listed<Value>(
        _ name: String,
        as label: String,
        _ read: (String) -> Value?
    ) throws -> Value? {
        guard let text = try text(name) else { return nil }
        if let value = read(text) { return value }
        anomalies.append(Anomaly(.unknownValue, "\(label): not a value the vendor documents"))
        return nil
    }

    mutating func note(_ anomaly: Anomaly) { anomalies.append(anomaly) }

    /// The fields of these names as details, those that are there.
    func details(_ names: [(field: String, label: String)]) throws -> [Detail] {
        var details: [Detail] = []
        for (field, label) in names {
            if let text = try text(field) { details.append(Detail(label, text)) }
        }
        return details
    }

    // MARK: The reader

    /// One spelling for a serial number, which the SDK prints with leading zeros and without.
    static func serial(_ text: String?) -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard CardNumber.digits(text) != nil else { return text }
        let significant = text.drop { $0 == "0" }
        return significant.isEmpty ? "0" : String(significant)
    }

    var reader: ReaderReference? {
        get throws {
            let reported = try identifier("serialnumber")
            let own = try reported ?? Self.dictionary(body, "devicestatus")?.identifier("serialnumber")
            return Self.serial(own).map { ReaderReference(vendor: .handpoint, serial: $0) }
        }
    }

    /// A report of the reader with what the dictionary says about its battery and software.
    mutating func report(
        _ response: Response,
        _ details: [Detail] = [],
        at: Timestamp?
    ) throws -> DeviceReport {
        var details = details
        details += try self.details([
            ("applicationname", "ApplicationName"), ("batterymv", "BatterymV"), ("externalpower", "ExternalPower"),
            ("bluetoothname", "BluetoothName"),
        ])
        let version = try text("applicationversion")
        return DeviceReport(
            reader: try reader,
            response: response,
            identity: version.map { ReaderIdentity(versions: [Detail("ApplicationVersion", $0)]) },
            battery: try battery(),
            isCharging: try flag("batterycharging"),
            details: details.isEmpty ? nil : details,
            at: at
        )
    }

    /// `57%`.
    private mutating func battery() throws -> Int? {
        guard let text = try text("batterystatus") else { return nil }
        let digits = text.hasSuffix("%") ? String(text.dropLast()) : text
        if let percent = Int(digits), (0...100).contains(percent) { return percent }
        anomalies.append(Anomaly(.malformedField, "BatteryStatus: a percentage of 0 to 100 is expected"))
        return nil
    }
}

/// The elements of an XML text that have only text in them, by their names; of several of one name the first.
enum ElementFields {
    private static let limit = 256

    static func object(from xml: String) -> JSONObject {
        var object = JSONObject()
        var current: (name: String, text: String)?
        for token in MarkupTokens(xml) {
            switch token {
            case .open(let name, _, let isSelfClosing): current = isSelfClosing ? nil : (name, "")
            case .text(let text): current?.text += text
            case .aside: break
            case .close(let name):
                if let (open, text) = current, open == name, object[name] == nil { object[name] = .string(text) }
                current = nil
                if object.count == limit { return object }
            }
        }
        return object
    }
}
