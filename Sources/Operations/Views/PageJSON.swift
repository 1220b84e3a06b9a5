import Canonical

/// A page of a list.
package struct PageJSON<Item: Codable & Sendable & Hashable>: Codable, Sendable, Hashable {
    package var items: [Item]
    /// The cursor of the next page; nil on the last one.
    package var next: String?
}

/// A page of a list that has a past.
package struct PastPageJSON<Item: Codable & Sendable & Hashable>: Codable, Sendable, Hashable {
    /// Nil for a page of the present.
    package var asOfPosition: Int64?
    package var items: [Item]
    package var next: String?
}

extension ListDocument {
    /// The members about the whole list as a type.
    package func head<Head: Decodable>(as type: Head.Type) throws -> Head {
        try JSONValueDecoder().decode(type, from: .object(head))
    }
}

extension JSONObject {
    /// The members of a document.
    init(members document: some Encodable) throws { self = try document.jsonValue().object ?? [:] }
}
