import Canonical
import Payments
import Redaction

/// `xml` of every response: the reader's data about the operation and about itself.
///
/// Later versions of the SDK supply the same data as members of the response, so fields missing in the dictionary are
/// read from there. The dictionary may also be the reader's XML itself.
struct HandpointDetails {
    let body: Fields
    let xml: Fields?
    /// Anomalies of fields on which no fact depends.
    private(set) var anomalies: [Anomaly] = []

    init(_ body: Fields) throws {
        self.body = body
        xml = try Self.dictionary(body, "xml")
    }

    /// An object, or the XML from which it was made.
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

    /// The fields that contain an amount or its currency.
    func holder(of name: String) -> Fields { xml?.has(name) == true ? xml ?? body : body }

    /// A value of one of the vendor's lists.
    ///
    /// - Returns: Nil if the field is absent or its value is not on the list; the latter is an anomaly.
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

    /// The present fields of these names, as details.
    func details(_ names: [(field: String, label: String)]) throws -> [Detail] {
        var details: [Detail] = []
        for (field, label) in names {
            if let text = try text(field) { details.append(Detail(label, text)) }
        }
        return details
    }

    // MARK: The reader

    /// The serial number in one form; the SDK prints it with or without leading zeros.
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

    /// A report of the reader, with the dictionary's data about its battery and software.
    mutating func report(
        _ response: Response,
        _ details: [Detail] = [],
        at: ReportedTime?
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

    /// Accepts `57%` and `57`.
    private mutating func battery() throws -> Int? {
        guard let text = try text("batterystatus") else { return nil }
        let digits = text.hasSuffix("%") ? String(text.dropLast()) : text
        if let percent = Int(digits), (0...100).contains(percent) { return percent }
        anomalies.append(Anomaly(.malformedField, "BatteryStatus: a percentage of 0 to 100 is expected"))
        return nil
    }
}

/// The text elements of an XML text by name; the first of several with the same name.
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
