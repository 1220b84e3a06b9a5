import Foundation
import XMLCoder

/// An element with its content.
struct XMLTree: Decodable {
    /// A coding key with any name.
    struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// The element's text, if it has no child elements.
    let text: String
    /// In the order of first appearance.
    let children: [(name: String, elements: [XMLTree])]

    /// Parses a text that `XMLGuard` has checked.
    ///
    /// - Throws: `malformed`.
    static func read(_ guarded: XMLGuard) throws(GatewayFailure) -> XMLTree {
        do {
            return try XMLDecoder().decode(XMLTree.self, from: Data(guarded.utf8))
        } catch {
            throw GatewayFailure(.malformed, "The answer is not readable XML.")
        }
    }

    init(from decoder: any Decoder) throws {
        var children: [(name: String, elements: [XMLTree])] = []
        if let container = try? decoder.container(keyedBy: Name.self) {
            var seen: Set<String> = []
            for key in container.allKeys where !key.stringValue.isEmpty && seen.insert(key.stringValue).inserted {
                children.append((key.stringValue, try container.decode([XMLTree].self, forKey: key)))
            }
        }
        self.children = children
        text = children.isEmpty ? (try? decoder.singleValueContainer().decode(String.self)) ?? "" : ""
    }

    /// The first element at the end of this path.
    func first(_ way: String...) -> XMLTree? {
        var element: XMLTree? = self
        for name in way { element = element?.children.first { $0.name == name }?.elements.first }
        return element
    }
}

/// Elements in a given order, for writing.
struct XMLElements: Encodable {
    enum Content {
        case text(String)
        case elements(XMLElements)
    }

    private(set) var elements: [(name: String, content: Content)] = []

    /// Adds an element; does nothing without a value.
    mutating func add(_ name: String, _ text: String?) {
        if let text { elements.append((name, .text(text))) }
    }

    mutating func add(_ name: String, _ inner: XMLElements) { elements.append((name, .elements(inner))) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: XMLTree.Name.self)
        for (name, content) in elements {
            let key = XMLTree.Name(stringValue: name)
            switch content {
            case .text(let text): try container.encode(text, forKey: key)
            case .elements(let inner): try container.encode(inner, forKey: key)
            }
        }
    }

    /// The text, without a declaration, blanks or line ends between the elements.
    ///
    /// - Throws: The encoder's errors, which are not expected.
    func bytes(root: String) throws -> [UInt8] { Array(try XMLEncoder().encode(self, withRootKey: root)) }
}
