import Canonical
import Foundation
import Payments
import Redaction
import Testing
import Vendors

/// A vendor's document with its expected reading: a file under `Fixtures/<vendor>/`.
struct VendorFixture: Sendable, CustomTestStringConvertible {
    let name: String
    let kind: String
    let context: DocumentContext
    let body: JSONValue
    let expected: JSONValue

    var testDescription: String { name }

    var adapter: (any VendorAdapter)? {
        VendorAdapters.all.first { name.hasPrefix($0.vendor.rawValue + "/") }
    }

    static let all: [VendorFixture] = {
        let root = Bundle.module.resourceURL?.appending(path: "Fixtures")
        guard let root, let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil) else {
            return []
        }
        return files.compactMap { $0 as? URL }
            .filter { $0.pathExtension == "json" }
            .map { $0.pathComponents.suffix(2).joined(separator: "/") }
            .sorted()
            .compactMap { VendorFixture(name: $0, root: root) }
    }()

    static func named(_ name: String) throws -> VendorFixture {
        guard let fixture = all.first(where: { $0.name == name + ".json" }) else { throw Missing(name: name) }
        return fixture
    }

    struct Missing: Error {
        let name: String
    }

    private init?(name: String, root: URL) {
        guard let data = try? Data(contentsOf: root.appending(path: name)), let json = try? JSONValue(parsing: data),
            let kind = json["kind"]?.string, let body = json["body"], let expected = json["expect"]
        else { return nil }
        self.name = name
        self.kind = kind
        self.body = body
        self.expected = expected
        context = DocumentContext(
            merchant: json["context"]?["merchant"]?.string,
            terminal: json["context"]?["terminal"]?.string,
            namesPayment: json["context"]?["namesPayment"] == true
        )
    }

    /// The document as intake passes it to the adapter.
    func scrubbed(_ body: JSONValue? = nil) throws -> ScrubbedDocument {
        let adapter = try adapter.orMissing(name)
        return Scrubber(schema: adapter.redactionSchema(for: kind)).scrub(UnscrubbedDocument(body ?? self.body))
    }

    func observation(of body: JSONValue? = nil) throws -> Observation {
        let adapter = try adapter.orMissing(name)
        return try adapter.interpret(try scrubbed(body), kind: kind, context: context)
    }
}

extension Optional {
    func orMissing(_ name: String) throws -> Wrapped {
        guard let self else { throw VendorFixture.Missing(name: name) }
        return self
    }
}
