import Canonical

/// The rules this build carries, of every day.
package enum WrittenRules {
    /// Read once.
    package static let all: Result<[RuleRecord], RuleBookError> = {
        let files = [
            PackageResources.answers_json, PackageResources.schemes_json, PackageResources.vendors_json,
            PackageResources.limits_json,
        ]
        do {
            return .success(try files.flatMap { try read($0) })
        } catch {
            return .failure(RuleBookError(.unreadableRules, "", String(describing: error)))
        }
    }()

    /// Rules as a file has them: a JSON array.
    package static func read(_ bytes: [UInt8]) throws -> [RuleRecord] {
        try JSONValueDecoder().decode([RuleRecord].self, from: JSONValue(parsing: bytes))
    }
}
