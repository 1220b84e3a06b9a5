import Canonical

/// The rules of this build, for all days.
package enum WrittenRules {
    /// Read from the files on first use.
    package static let all: Result<[RuleRecord], RuleBookError> = {
        do {
            return .success(try EmbeddedFiles.all.flatMap { try read(Array($0.text.utf8)) })
        } catch {
            return .failure(RuleBookError(.unreadableRules, "", String(describing: error)))
        }
    }()

    /// Rules from the text of a file: a JSON array.
    package static func read(_ bytes: [UInt8]) throws -> [RuleRecord] {
        try JSONValueDecoder().decode([RuleRecord].self, from: JSONValue(parsing: bytes))
    }
}
