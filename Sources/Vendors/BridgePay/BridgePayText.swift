import Canonical
import Payments
import Redaction

/// The text that PayGuardian's objects print, as shown in the guide: a line `name: value` for each property, under a
/// line `BPNPayment.BridgeCommResponse:` for each object; and the `description` of an `NSError`.
///
/// Reading is bounded. A line that cannot be read causes an anomaly, not a failure.
struct BridgePayText {
    /// The objects by their normalised names, and the properties outside of any object.
    private(set) var document = JSONObject()
    private(set) var anomalies: [Anomaly] = []

    /// Far more than any payment prints.
    static let mostLines = 400
    static let longestLine = 2_048

    private static let objects: Set<String> = ["bpnpayment", "bridgecommresponse", "bpnreceipt", "nserror"]

    /// - Throws: `malformedDocument` for a text without any property, or one that exceeds the limits.
    init(_ text: String) throws {
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.count <= Self.mostLines, lines.allSatisfy({ $0.utf8.count <= Self.longestLine }) else {
            throw Refusal(
                .malformedDocument,
                "The text has more than \(Self.mostLines) lines, or one longer than \(Self.longestLine) bytes.",
                pointer: ""
            )
        }
        if let error = Self.error(in: text) {
            document = error
            return
        }
        try read(lines)
    }

    private mutating func read(_ lines: [Substring]) throws {
        var section: String?
        var members = JSONObject()
        func close(_ document: inout JSONObject) {
            if let section {
                _ = document.append(section, .object(members))
            } else {
                for member in members.members { _ = document.append(member.key, member.value) }
            }
            members = JSONObject()
        }
        for (index, line) in lines.enumerated() {
            let line = line.trimmed
            guard !line.isEmpty else { continue }
            guard let colon = line.firstIndex(of: ":"), let name = Self.name(line[..<colon]) else {
                note("line \(index + 1) is not a property")
                continue
            }
            let value = Self.value(line[line.index(after: colon)...])
            if value.isEmpty, let object = Self.object(named: name) {
                close(&document)
                section = object
            } else if !members.append(name, .string(value)), members[name] != .string(value) {
                note("\(name) is reported twice, with different values")
            }
        }
        close(&document)
        guard !document.isEmpty else {
            throw Refusal(.malformedDocument, "A line `name: value` is expected for every property.", pointer: "")
        }
    }

    private mutating func note(_ explanation: String) {
        guard anomalies.count < 8 else { return }
        anomalies.append(Anomaly(.malformedField, explanation))
    }

    /// A property's name: letters, digits and full stops.
    private static func name(_ text: Substring) -> String? {
        let name = text.trimmed
        guard (1...64).contains(name.utf8.count),
            name.utf8.allSatisfy({ $0 == 0x2E || (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) })
        else { return nil }
        return String(name)
    }

    /// `BridgeCommResponse` for `BPNPayment.BridgeCommResponse`.
    private static func object(named name: String) -> String? {
        let last = name.split(separator: ".").last.map(String.init) ?? name
        return objects.contains(SensitiveNames.normalized(last)) ? last : nil
    }

    /// The value without the colon that follows some values, and without a remark after `(null)`.
    private static func value(_ text: Substring) -> String {
        var value = text.trimmed
        if value.hasPrefix("(null)") { return "(null)" }
        // In a list of tags, a colon at the end belongs to a tag without a value.
        guard !value.contains(";") else { return String(value) }
        while value.last == ":" { value = value.dropLast().trimmed }
        return String(value)
    }

    // MARK: NSError

    /// Reads `Error Domain=D Code=2 "text" UserInfo={NSLocalizedDescription=text}`, on one line or several.
    private static func error(in text: String) -> JSONObject? {
        guard let domain = word(after: "Domain=", in: text), let code = word(after: "Code=", in: text) else {
            return nil
        }
        var error: JSONObject = ["domain": .string(domain), "code": .string(code)]
        if let start = text.firstRange(of: "NSLocalizedDescription=")?.upperBound {
            let description = text[start...].prefix { $0 != "}" && $0 != "," && !$0.isNewline }.trimmed
            error["userInfo"] = ["NSLocalizedDescription": .string(String(description.prefix(Fields.longestText / 4)))]
        } else if let start = text.firstRange(of: "Code=")?.upperBound,
            let open = text[start...].firstIndex(of: "\"")
        {
            let message = text[text.index(after: open)...].prefix { $0 != "\"" && !$0.isNewline }
            error["message"] = .string(String(message.prefix(Fields.longestText / 4)))
        }
        return error
    }

    private static func word(after mark: String, in text: String) -> String? {
        guard let start = text.firstRange(of: mark)?.upperBound else { return nil }
        let word = text[start...].trimmingLeading.prefix { !$0.isWhitespace && $0 != "\"" && $0 != "," }
        return word.isEmpty || word.utf8.count > 64 ? nil : String(word)
    }
}

extension Substring {
    fileprivate var trimmingLeading: Substring { drop(while: \.isWhitespace) }

    fileprivate var trimmed: Substring {
        var text = trimmingLeading
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}

extension BridgePayText {
    /// Replaces each printed text in `value` that represents a PayGuardian object with the object.
    ///
    /// - Throws: `malformedDocument`.
    static func structured(_ value: JSONValue) throws -> (JSONObject, [Anomaly]) {
        switch value {
        case .string(let text):
            let read = try BridgePayText(text)
            return (read.document, read.anomalies)
        case .object(var object):
            var anomalies: [Anomaly] = []
            for member in object.members {
                guard case .string(let text) = member.value, text.contains(where: \.isNewline),
                    embedded.contains(SensitiveNames.normalized(member.key))
                else { continue }
                let read = try BridgePayText(text)
                // An object may print its own name above its properties.
                let inner = read.document[member.key]?.object
                object[member.key] = .object(read.document.count == 1 ? inner ?? read.document : read.document)
                anomalies += read.anomalies
            }
            return (object, anomalies)
        default:
            throw Refusal(
                .malformedDocument,
                "The document is a JSON object, or the text PayGuardian prints.",
                pointer: ""
            )
        }
    }

    private static let embedded: Set<String> = [
        "bpnpayment", "payment", "bridgecommresponse", "response", "bpnreceipt", "receipt", "nserror", "error",
    ]
}
