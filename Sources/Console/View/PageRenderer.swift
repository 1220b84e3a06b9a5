import Mustache

/// Fills the built-in templates.
struct PageRenderer: Sendable {
    struct MissingTemplate: Error {}

    /// The templates in `Templates`, by name.
    static let sources: [(name: String, text: String)] = EmbeddedFiles.all.compactMap { file in
        let ending = ".mustache"
        return file.name.hasSuffix(ending) ? (String(file.name.dropLast(ending.count)), file.text) : nil
    }

    private let library: MustacheLibrary

    /// - Throws: If a template cannot be read, which is a mistake in this build.
    init() throws {
        MustacheContentTypes.register(MarkupEscaping(), named: MarkupEscaping.name)
        var library = MustacheLibrary()
        for (name, source) in Self.sources {
            // Each template gets the escaping here, so that none can lack it.
            let text = "{{% CONTENT_TYPE:\(MarkupEscaping.name)}}" + source
            try library.register(text, named: name)
        }
        self.library = library
    }

    /// The page as HTML in UTF-8.
    func page(_ template: String, _ values: PageValue) throws -> [UInt8] {
        guard let text = library.render(values, withTemplate: template) else { throw MissingTemplate() }
        return Array(text.utf8)
    }
}
