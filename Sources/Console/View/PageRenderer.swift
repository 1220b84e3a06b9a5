import Mustache

/// Fills the templates that are built in.
struct PageRenderer: Sendable {
    struct MissingTemplate: Error {}

    /// The templates of `Templates` by name.
    static let sources: [(name: String, text: String)] = EmbeddedFiles.all.compactMap { file in
        let ending = ".mustache"
        return file.name.hasSuffix(ending) ? (String(file.name.dropLast(ending.count)), file.text) : nil
    }

    private let library: MustacheLibrary

    /// - Throws: When a template cannot be read, which is a mistake of this build.
    init() throws {
        MustacheContentTypes.register(MarkupEscaping(), named: MarkupEscaping.name)
        var library = MustacheLibrary()
        for (name, source) in Self.sources {
            // Each begins with how its data is written, so that none can be forgotten.
            let text = "{{% CONTENT_TYPE:\(MarkupEscaping.name)}}" + source
            try library.register(text, named: name)
        }
        self.library = library
    }

    /// The page as bytes of HTML.
    func page(_ template: String, _ values: PageValue) throws -> [UInt8] {
        guard let text = library.render(values, withTemplate: template) else { throw MissingTemplate() }
        return Array(text.utf8)
    }
}
