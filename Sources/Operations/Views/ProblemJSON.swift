import Canonical

/// A problem document (RFC 9457): the form in which the HTTP edge writes a refusal.
package struct ProblemJSON: Codable, Sendable, Hashable {
    package var type: String
    package var title: String
    package var status: Int
    package var code: String
    package var detail: String?
    package var retryable: Bool
    package var retryAfterSeconds: Int?
    package var outcome: Refusal.Outcome?
    package var correlation: String
    package var pointer: String?
    package var offset: Int64?
    package var reason: String?
    package var parameter: String?
    package var limitBytes: Int64?
    package var available: [String]?
    package var actualVersion: Int64?
    package var fault: String?
    package var line: Int64?
    package var character: Int64?
    package var column: String?
    package var tracePosition: Int64?

    package init(parsing body: [UInt8]) throws {
        self = try JSONValueDecoder().decode(Self.self, from: JSONValue(parsing: body))
    }
}
