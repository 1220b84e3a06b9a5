import XML

/// An event of the reader, from the outermost element inwards.
enum ElementEvent {
    /// The start of an element whose children are passed on one by one.
    case begins(name: String, line: Int)
    case ends(name: String, line: Int)
    /// An element with its whole content.
    case element(XMLTree)
}

/// Reads a document of XML whose list is too long to be kept: some elements are opened, and their children passed on
/// one by one.
struct ElementReader {
    static let limits = XMLLimits(
        deepest: 64,
        mostElements: .max,
        longestText: 1 << 16,
        longestDocument: MarkupDocuments.largestDocument,
        skipsInstructions: true
    )

    private var reader: XMLReader
    /// The names of the opened elements.
    private var path: [String] = []

    /// - Throws: `StatementProblem`.
    init(_ document: [UInt8], firstLine: Int) throws(StatementProblem) {
        do {
            reader = try XMLReader(document, limits: Self.limits, firstLine: firstLine)
        } catch {
            throw StatementProblem(error)
        }
    }

    /// - Parameter isOpened: True for the path of an element whose children are passed on one by one.
    /// - Throws: `StatementProblem`, and the errors of `body`.
    mutating func read(isOpened: ([String]) -> Bool, body: (ElementEvent) throws -> Void) throws {
        while let piece = try next() {
            switch piece {
            case .start(let name, let attributes, let line):
                path.append(name)
                if isOpened(path) {
                    try body(.begins(name: name, line: line))
                } else {
                    path.removeLast()
                    try body(.element(try content(of: XMLTree(name, line: line, attributes: attributes))))
                }
            case .end(let name, let line):
                path.removeLast()
                try body(.ends(name: name, line: line))
            case .text: break
            }
        }
    }

    private mutating func next() throws(StatementProblem) -> XMLReader.Piece? {
        do {
            return try reader.next()
        } catch {
            throw StatementProblem(error)
        }
    }

    private mutating func content(of element: XMLTree) throws(StatementProblem) -> XMLTree {
        do {
            return try reader.content(of: element)
        } catch {
            throw StatementProblem(error)
        }
    }
}

extension XMLTree {
    /// The text as a readable value.
    var field: Field { Field(Array(text.utf8)[...], line: line, column: .named(name)) }
}

extension StatementProblem {
    fileprivate init(_ problem: XMLProblem) {
        let (code, detail): (Code, String) =
            switch problem.kind {
            case .truncated: (.truncated, "The document ends within an element.")
            case .documentType, .processingInstruction:
                (
                    .refusedMarkup,
                    "Statements need no document type and no entity declarations; such files are not read."
                )
            case .tooDeep: (.tooLarge, "Elements are nested deeper than is read.")
            case .longText: (.tooLarge, "The text of an element is longer than is read.")
            case .longDocument, .tooManyElements: (.tooLarge, "The document is longer than is read.")
            case .encoding, .entity, .malformed: (.malformedRow, "The document is not well-formed XML.")
            }
        self.init(code, line: problem.line, column: .character(problem.column), detail)
    }
}
