import Canonical
import Foundation
import Payments
import Vendors

/// Every operation, callback, field, code and constraint of one vendor's document, with a sample that has it. Written
/// by readers of the documents who knew nothing of the ledger's code.
struct DocumentRows: Decodable, Sendable {
    struct Sample: Decodable, Sendable {
        var kind: String
        var transaction: String?
        var terminal: String?
        var device: String?
        var body: JSONValue
    }

    struct Row: Decodable, Sendable {
        var row: String
        var what: String
        /// The place in the vendor's document.
        var at: String
        var sample: Int?
        /// A JSON pointer in the sample's body.
        var pointer: String?
        /// Another value of the member: for a code, this code; for a constraint, a value that breaks it; null removes
        /// it.
        var other: JSONValue?
        /// Further members that the document requires with that value.
        var with: [String: JSONValue]?
        /// Why no document of an app can show it, or why no fact changes with it.
        var why: String?
    }

    var samples: [Sample]
    var rows: [Row]

    static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    /// - Throws: The errors of reading the file.
    static func of(_ vendor: Vendor) throws -> DocumentRows {
        let data = try Data(contentsOf: folder.appending(path: "Rows/\(vendor.rawValue).json"))
        return try JSONValueDecoder().decode(DocumentRows.self, from: JSONValue(parsing: [UInt8](data)))
    }

    /// The sample's body with the row's value.
    func changed(_ row: Row) -> JSONValue? {
        guard let sample = row.sample, samples.indices.contains(sample), let pointer = row.pointer else { return nil }
        var body = samples[sample].body.setting(pointer, to: row.other ?? .null)
        for (pointer, value) in (row.with ?? [:]).sorted(by: { $0.key < $1.key }) {
            body = body.setting(pointer, to: value)
        }
        return body
    }
}

extension JSONValue {
    /// This value with the member at a JSON pointer replaced, added, or for null removed.
    func setting(_ pointer: String, to value: JSONValue) -> JSONValue {
        let names = pointer.split(separator: "/").map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
        return setting(names[...], to: value)
    }

    private func setting(_ names: ArraySlice<String>, to value: JSONValue) -> JSONValue {
        guard let name = names.first else { return value }
        if let array, let index = Int(name), array.indices.contains(index) {
            var elements = array
            elements[index] = elements[index].setting(names.dropFirst(), to: value)
            return .array(elements)
        }
        var members = object ?? JSONObject()
        let changed = (members[name] ?? .object([:])).setting(names.dropFirst(), to: value)
        members[name] = changed == .null ? nil : changed
        return .object(members)
    }
}
