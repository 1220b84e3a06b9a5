import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// An element with its content. Names have no prefixes.
struct XMLTree {
    let name: String
    var text = ""
    var children: [XMLTree] = []

    subscript(name: String) -> XMLTree? { children.first { $0.name == name } }

    /// The text without white space around it.
    var value: String { text.trimmingCharacters(in: .whitespacesAndNewlines) }
}

/// Reads XML with Foundation's parser within limits: no document types and therefore no entities, and no depth or
/// length beyond that of requests.
final class XMLTreeReader: NSObject, XMLParserDelegate {
    static let deepest = 16
    static let mostElements = 1_000
    static let longestTextInBytes = 1 << 18

    private let parser: XMLParser
    private var stack: [XMLTree] = []
    private var root: XMLTree?
    private var elements = 0
    private var textBytes = 0
    private var isRefused = false

    private init(_ bytes: [UInt8]) {
        parser = XMLParser(data: Data(bytes))
        super.init()
        parser.delegate = self
        parser.shouldResolveExternalEntities = false
        parser.externalEntityResolvingPolicy = .never
    }

    /// - Parameter bytes: UTF-8. A declaration may name another encoding, because base64 carries a former text; it is
    ///   ignored.
    /// - Returns: Nil if the bytes are not well-formed or exceed the limits.
    static func read(_ bytes: [UInt8]) -> XMLTree? {
        // An entity requires a document type, and no request has one.
        guard !bytes.isEmpty, bytes.firstRange(of: Array("<!DOCTYPE".utf8)) == nil else { return nil }
        let reader = XMLTreeReader(withoutDeclaration(bytes))
        let isRead = reader.parser.parse()
        reader.parser.delegate = nil
        return isRead && !reader.isRefused ? reader.root : nil
    }

    private static func withoutDeclaration(_ bytes: [UInt8]) -> [UInt8] {
        var rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        guard rest.starts(with: Array("<?xml".utf8)), let end = rest.firstRange(of: Array("?>".utf8)) else {
            return Array(rest)
        }
        return Array(rest[end.upperBound...])
    }

    private func refuse() {
        isRefused = true
        parser.abortParsing()
    }

    func parser(
        _ parser: XMLParser,
        didStartElement elementName: String,
        namespaceURI: String?,
        qualifiedName qName: String?,
        attributes attributeDict: [String: String]
    ) {
        elements += 1
        guard stack.count < Self.deepest, elements <= Self.mostElements else { return refuse() }
        stack.append(XMLTree(name: String(elementName.split(separator: ":").last ?? "")))
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        textBytes += string.utf8.count
        guard textBytes <= Self.longestTextInBytes else { return refuse() }
        guard let last = stack.indices.last else { return }
        stack[last].text += string
    }

    func parser(_ parser: XMLParser, foundCDATA CDATABlock: Data) {
        self.parser(parser, foundCharacters: String(decoding: CDATABlock, as: UTF8.self))
    }

    func parser(
        _ parser: XMLParser,
        didEndElement elementName: String,
        namespaceURI: String?,
        qualifiedName qName: String?
    ) {
        guard let element = stack.popLast() else { return }
        if let last = stack.indices.last { stack[last].children.append(element) } else { root = element }
    }
}
