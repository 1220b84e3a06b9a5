/// Addresses within the console.
enum Address {
    static let root = "/console"

    static func transaction(_ id: String) -> String { "\(root)/transactions/\(segment(id))" }
    static func batch(_ id: String) -> String { "\(root)/batches/\(segment(id))" }
    static func anomaly(_ id: String) -> String { "\(root)/anomalies/\(segment(id))" }
    static func doubt(_ id: String) -> String { "\(root)/doubts/\(segment(id))" }
    static func checkout(_ id: String) -> String { "\(root)/checkouts/\(segment(id))" }
    static func merchant(_ name: String) -> String { "\(root)/merchants/\(segment(name))" }
    static func statement(_ id: String) -> String { "\(root)/statements/\(segment(id))" }
    static func dispute(_ id: String) -> String { "\(root)/disputes/\(segment(id))" }
    static func exception(_ id: String) -> String { "\(root)/exceptions/\(segment(id))" }
    static func replay(_ id: String) -> String { "\(root)/replays/\(segment(id))" }
    /// A payment event by event, up to a position if one is given.
    static func history(_ id: String, at position: Int64? = nil) -> String {
        path("\(transaction(id))/replay-history", position.map { [("as_of_position", "\($0)")] } ?? [])
    }
    static func run(_ id: String) -> String { "\(root)/reconciliation/runs/\(segment(id))" }
    static func period(_ id: String) -> String { "\(root)/periods/\(segment(id))" }
    static func accountStatement(_ account: String) -> String { "\(root)/accounts/\(segment(account))/statement" }
    static func exportedFile(_ id: String) -> String { "\(root)/journal-exports/\(segment(id))/file" }
    /// The search for a name; nil if the name is longer than 256 bytes, the limit of the search.
    static func search(_ name: String) -> String? {
        name.utf8.count <= 256 ? path("\(root)/search", [("q", name)]) : nil
    }

    static func event(_ position: Int64) -> String { "\(root)/events/\(position)" }
    static func reader(_ vendor: String, _ serial: String) -> String {
        "\(root)/readers/\(segment(vendor))/\(segment(serial))"
    }

    /// A path with parameters, each escaped.
    static func path(_ path: String, _ parameters: [(String, String)]) -> String {
        guard !parameters.isEmpty else { return path }
        return path + "?" + parameters.map { "\(segment($0.0))=\(segment($0.1))" }.joined(separator: "&")
    }

    /// Escapes everything but letters, digits and `-._~`.
    static func segment(_ text: String) -> String {
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                escaped.append(byte)
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// The address to which a form may return; nil if it is not within the console.
    static func inside(_ path: String?) -> String? {
        guard let path, path == root || path.hasPrefix(root + "/") || path.hasPrefix(root + "?"),
            path.utf8.count <= 2048, path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }),
            !path.contains(".."), !path.lowercased().contains("%2e")
        else { return nil }
        return path
    }
}
