import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// An element with its content. Names are without their prefixes.
struct MarkupElement {
    let name: String
    /// The 1-based physical line on which it begins.
    let line: Int
    var text = ""
    var attributes: [String: String] = [:]
    var children: [MarkupElement] = []

    /// The first child with this name.
    subscript(name: String) -> MarkupElement? { children.first { $0.name == name } }

    /// The first element on the path of these names.
    func at(_ path: String...) -> MarkupElement? {
        var found = self
        for name in path {
            guard let next = found[name] else { return nil }
            found = next
        }
        return found
    }

    func all(_ name: String) -> [MarkupElement] { children.filter { $0.name == name } }

    /// The text as a readable value.
    var field: Field { Field(Array(text.utf8)[...], line: line, column: .named(name)) }
}

/// An event of the reader, from the outermost element inwards.
enum MarkupEvent {
    /// The start of an element whose children are passed on one by one.
    case begins(name: String, namespace: String?, line: Int)
    case ends(name: String, line: Int)
    /// An element with its whole content.
    case element(MarkupElement)
}

/// Reads XML with Foundation's parser within limits: no document types, no entities, and no greater depth or length
/// than statements have.
final class MarkupReader: NSObject, XMLParserDelegate {
    /// The deepest nesting that is read.
    static let deepest = 64
    /// The longest text of an element, in bytes.
    static let longestText = 1 << 16

    private let parser: XMLParser
    /// The line on which the document begins.
    private let firstLine: Int
    /// True if the children of an element are passed on one by one; called with the path of its names.
    private let isOpened: ([String]) -> Bool
    private let body: (MarkupEvent) throws -> Void
    private var path: [String] = []
    /// The number of elements of the path that are opened.
    private var opened = 0
    private var stack: [MarkupElement] = []
    private var failure: (any Error)?

    private init(
        _ document: [UInt8],
        firstLine: Int,
        isOpened: @escaping ([String]) -> Bool,
        body: @escaping (MarkupEvent) throws -> Void
    ) {
        // Read as a stream, in small pieces: the library refuses ten megabytes at once.
        parser = XMLParser(stream: InputStream(data: Data(document)))
        self.firstLine = firstLine
        self.isOpened = isOpened
        self.body = body
        super.init()
        parser.delegate = self
        parser.shouldResolveExternalEntities = false
        parser.externalEntityResolvingPolicy = .never
    }

    /// Reads a document of UTF-8 without a declaration.
    ///
    /// - Throws: `StatementProblem`, and the errors of `body`.
    static func read(
        _ document: [UInt8],
        firstLine: Int,
        isOpened: ([String]) -> Bool,
        body: (MarkupEvent) throws -> Void
    ) throws {
        try withoutActuallyEscaping(isOpened) { isOpened in
            try withoutActuallyEscaping(body) { body in
                let reader = MarkupReader(document, firstLine: firstLine, isOpened: isOpened, body: body)
                let isRead = reader.parser.parse()
                reader.parser.delegate = nil
                if let failure = reader.failure { throw failure }
                if !isRead || !reader.path.isEmpty { throw reader.malformed }
            }
        }
    }

    private var line: Int { firstLine + max(parser.lineNumber, 1) - 1 }

    private var malformed: StatementProblem {
        let isCut = !path.isEmpty && (parser.parserError as NSError?).map { [4, 5, 74, 77].contains($0.code) } == true
        return StatementProblem(
            isCut ? .truncated : .malformedRow,
            line: line,
            column: .character(max(parser.columnNumber, 1)),
            isCut ? "The document ends within an element." : "The document is not well-formed XML."
        )
    }

    private func fail(_ error: any Error) {
        guard failure == nil else { return }
        failure = error
        parser.abortParsing()
    }

    private static func local(_ name: String) -> String {
        name.utf8.firstIndex(of: UInt8(ascii: ":")).map { String(name[name.index(after: $0)...]) } ?? name
    }

    func parser(
        _ parser: XMLParser,
        didStartElement elementName: String,
        namespaceURI: String?,
        qualifiedName qName: String?,
        attributes attributeDict: [String: String]
    ) {
        guard failure == nil else { return }
        let name = Self.local(qName ?? elementName)
        path.append(name)
        guard path.count <= Self.deepest else {
            return fail(StatementProblem(.tooLarge, line: line, "Elements are nested deeper than is read."))
        }
        if stack.isEmpty, isOpened(path) {
            opened = path.count
            let prefix = (qName ?? elementName).split(separator: ":").dropLast().first
            let namespace = attributeDict[prefix.map { "xmlns:\($0)" } ?? "xmlns"]
            attempt(.begins(name: name, namespace: namespace ?? namespaceURI, line: line))
        } else {
            stack.append(MarkupElement(name: name, line: line, attributes: attributeDict))
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        guard failure == nil, let last = stack.indices.last else { return }
        guard stack[last].text.utf8.count + string.utf8.count <= Self.longestText else {
            return fail(StatementProblem(.tooLarge, line: line, "The text of an element is longer than is read."))
        }
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
        guard failure == nil, !path.isEmpty else { return }
        let name = path.removeLast()
        guard let element = stack.popLast() else {
            opened = path.count
            return attempt(.ends(name: name, line: line))
        }
        if let last = stack.indices.last {
            stack[last].children.append(element)
        } else {
            attempt(.element(element))
        }
    }

    private func attempt(_ event: MarkupEvent) {
        do {
            try body(event)
        } catch {
            fail(error)
        }
    }
}
