import Canonical
import Testing

/// The sample documents of the vendors' manuals.
struct Sample: Sendable, CustomTestStringConvertible {
    let title: String
    let vendor: String
    let record: JSONValue

    var testDescription: String { title }

    static func all() throws -> [Sample] {
        try #require(RepositoryFile.json("Tests/Samples/documents.json").array).map { document in
            Sample(
                title: try #require(document["title"]?.string),
                vendor: try #require(document["vendor"]?.string),
                record: try #require(document["record"])
            )
        }
    }

    static func named(_ title: String) throws -> Sample {
        try #require(try all().first { $0.title == title })
    }

    /// A copy with the value at `path` replaced, or removed if nil. Missing objects are created.
    func with(_ path: String..., as value: JSONValue?) -> Sample {
        Sample(title: title, vendor: vendor, record: record.setting(path[...], to: value))
    }
}

extension JSONValue {
    /// A copy with the value at `path` replaced.
    func setting(_ path: ArraySlice<String>, to value: JSONValue?) -> JSONValue {
        guard let first = path.first else { return value ?? .null }
        var object = self.object ?? [:]
        if path.count == 1 {
            object[first] = value
        } else {
            object[first] = (object[first] ?? [:]).setting(path.dropFirst(), to: value)
        }
        return .object(object)
    }

    /// The strings of an array.
    var strings: [String] { (array ?? []).compactMap(\.string) }
}
