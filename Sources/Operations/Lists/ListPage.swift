package import Canonical

/// An item of any list. Stored text is neither parsed nor encoded on its way out as JSON.
package enum ListItem: Sendable {
    case stored(String)
    case value(JSONValue)

    package init(_ item: some Encodable) throws {
        switch item {
        case let item as StoredJSON: self = .stored(item.text)
        case let value as JSONValue: self = .value(value)
        default: self = .value(try item.jsonValue())
        }
    }

    package var text: String {
        switch self {
        case .stored(let text): text
        case .value(let value): value.text
        }
    }

    package func json() throws -> JSONValue {
        switch self {
        case .stored(let text): try JSONValue(parsing: text.utf8)
        case .value(let value): value
        }
    }
}

/// A page of any list, and the cursor of the next one; nil after the last page.
package struct ListPage: Sendable {
    package var items: [ListItem]
    package var next: Cursor?

    /// - Parameter position: The position of a list of the past, which its cursors carry.
    init<Item: Encodable>(_ page: Page<Item>, at position: Int64?) throws {
        items = try page.items.map { try ListItem($0) }
        next = page.next
        next?.asOf = position
    }

    /// The items, parsed.
    package func values() throws -> [JSONValue] { try items.map { try $0.json() } }
}

/// The document of one page of a list.
package struct ListDocument: Sendable {
    /// Members about the whole list.
    package var head: JSONObject
    package var page: ListPage

    package var next: Cursor? { page.next }

    /// The items, parsed.
    package func items() throws -> [JSONValue] { try page.values() }

    /// The items as a type.
    package func items<Item: Decodable>(as type: Item.Type) throws -> [Item] {
        try items().map { try JSONValueDecoder().decode(type, from: $0) }
    }

    package var bytes: [UInt8] {
        let items = page.items.map(\.text)
        var bytes = Self.beginning(head)
        bytes.reserveCapacity(items.reduce(64) { $0 + $1.utf8.count + 1 })
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: item.utf8)
        }
        bytes.append(UInt8(ascii: "]"))
        if let next { bytes.append(contentsOf: #","next":\#(JSONValue.string(next.text).text)"#.utf8) }
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    /// The document as a type.
    package func read<Document: Decodable>(as type: Document.Type) throws -> Document {
        try JSONValueDecoder().decode(type, from: .object(try json()))
    }

    package func json() throws -> JSONObject {
        var object = head
        object["items"] = .array(try items())
        object.set("next", next?.text)
        return object
    }

    /// The document up to its first item.
    package static func beginning(_ head: JSONObject) -> [UInt8] {
        var bytes = Array("{".utf8)
        for member in head {
            JSONValue.appendQuoted(member.key, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(contentsOf: member.value.text.utf8)
            bytes.append(UInt8(ascii: ","))
        }
        bytes.append(contentsOf: #""items":["#.utf8)
        return bytes
    }
}
