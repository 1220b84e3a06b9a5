import Canonical
import EMV
import EventLog
import Payments

/// The data of chip and terminal, tag by tag, with names and meanings.
struct ChipReport: Sendable {
    private static let tagLimit = 60

    private var values: [EMVTag: [UInt8]] = [:]

    /// - Parameters:
    ///   - events: The events of the payment; the documents among them are searched for tags.
    ///   - card: The card of the payment.
    init(events: [RecordedEvent], card: CardPresentation?) {
        note(0x95, card?.terminalVerificationResults)
        note(0x9B, card?.transactionStatusInformation)
        note(0x4F, card?.applicationIdentifier)
        note(0x9F10, card?.issuerApplicationData)
        for event in events where event.type == TransactionEvent.Name.documentReceived.rawValue {
            guard let data = try? JSONValue(parsing: event.data.utf8), let document = data["document"] else { continue }
            search(document, under: "", depth: 0)
        }
    }

    /// The table; nil if no tag is known.
    var value: PageValue? {
        guard !values.isEmpty else { return nil }
        let table = Table(
            caption: "EMV data from chip and terminal",
            columns: ["Tag", "Name", "Value", "Meaning"],
            rows: values.sorted { $0.key < $1.key }.map { tag, bytes in
                [
                    .code(tag.hex), Cell(TagDictionary.entry(for: tag)?.name), .code(Hexadecimal.text(bytes)),
                    Cell(Self.meaning(tag, bytes)),
                ]
            },
            whenEmpty: ""
        )
        return table.value
    }

    private mutating func note(_ tag: EMVTag, _ hex: String?) {
        guard let bytes = hex.flatMap({ Hexadecimal.bytes($0) }) else { return }
        note(tag, bytes)
    }

    /// Keeps a tag that the dictionary knows, that may be shown, and whose value has a valid length.
    private mutating func note(_ tag: EMVTag, _ bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count <= 64, values.count < Self.tagLimit, values[tag] == nil,
            let entry = TagDictionary.entry(for: tag), !entry.sensitivity.isForbidden,
            entry.allows(byteCount: bytes.count)
        else { return }
        values[tag] = bytes
    }

    /// The abbreviations on receipts.
    private static let abbreviations: [String: EMVTag] = [
        "aid": 0x4F, "tvr": 0x95, "tsi": 0x9B, "iad": 0x9F10, "cvmr": 0x9F34, "cvmresults": 0x9F34, "atc": 0x9F36,
        "cid": 0x9F27, "arc": 0x8A,
    ]

    private mutating func search(_ value: JSONValue, under name: String, depth: Int) {
        guard depth < 16 else { return }
        switch value {
        case .object(let object):
            for member in object.members { search(member.value, under: member.key, depth: depth + 1) }
        case .array(let items):
            for item in items { search(item, under: name, depth: depth + 1) }
        case .string(let text):
            let plain = name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " }
            if let tag = Self.abbreviations[plain] ?? EMVTag(hex: name) {
                note(tag, text)
            } else if plain.contains("emv") || plain.contains("tlv") || plain.contains("tag"),
                let bytes = Hexadecimal.bytes(text), let reading = try? TLVReader().read(bytes)
            {
                for object in reading.objects.primitives { note(object.tag, object.value ?? []) }
            }
        default: break
        }
    }

    private static func meaning(_ tag: EMVTag, _ bytes: [UInt8]) -> String? {
        switch tag.number {
        case 0x95:
            let flags = TerminalVerificationResults(bytes)?.flags.map(\.meaning) ?? []
            return flags.isEmpty ? "nothing set" : flags.joined(separator: "; ")
        case 0x9B:
            let flags = TransactionStatusInformation(bytes)?.flags.map(\.meaning) ?? []
            return flags.isEmpty ? "nothing done" : "done: " + flags.joined(separator: "; ")
        case 0x9F34:
            guard let results = VerificationResults(bytes) else { return nil }
            return [
                results.rule.method?.meaning, results.rule.condition?.meaning, results.result.map { "result \($0)" },
            ].compactMap(\.self).joined(separator: ", ")
        case 0x9F27: return CryptogramInformation(bytes)?.cryptogram.abbreviation
        default:
            switch TagDictionary.entry(for: tag)?.format {
            case .text, .alphanumeric:
                let isPrintable = bytes.allSatisfy { (0x20...0x7E).contains($0) }
                return isPrintable ? String(decoding: bytes, as: UTF8.self) : nil
            default: return nil
            }
        }
    }
}
