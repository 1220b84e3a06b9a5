import HTTPEdge
import Intake
import Redaction

/// The fields of a submitted form.
struct FormFields: Sendable {
    static let limitBytes = 16_384

    private let parameters: [RequestTarget.Parameter]

    /// Reads a body of `application/x-www-form-urlencoded`.
    ///
    /// - Throws: `unsupported-media-type`, `malformed-target`, `body-too-large`.
    init(_ request: WebConsole.Request) async throws {
        _ = try request.mediaType(among: ["application/x-www-form-urlencoded"])
        let bytes = try await request.body.collect(limit: Self.limitBytes)
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Problem.malformedTarget }
        // A line break in a field counts as a space, because a request target cannot contain one.
        let line = text.replacing(/%0[Dd]%0[Aa]|%0[AaDd]/, with: "%20")
        parameters = try RequestTarget("/?" + line).parameters
    }

    /// The value of a field; nil if it is missing or repeated.
    subscript(name: String) -> String? {
        let values = parameters.filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }

    /// The reason that the form gives.
    ///
    /// - Throws: `noReason`.
    func reason() throws(IntakeProblem) -> Reason { try Reason(reading: self["reason"]) }
}
