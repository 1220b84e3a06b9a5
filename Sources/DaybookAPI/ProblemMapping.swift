package import HTTPEdge
package import Operations

extension API {
    /// Runs a route, and throws its refusals as problems.
    package static func mapping<Answer>(_ route: () async throws -> Answer) async throws -> Answer {
        do {
            return try await route()
        } catch let error as Problem {
            throw error
        } catch {
            guard let refusal = Refusal(explaining: error) else { throw error }
            throw Problem(refusal)
        }
    }
}

extension Problem {
    /// The HTTP answer for a refusal; its kind decides the status.
    package init(_ refusal: Operations.Refusal) {
        let status =
            switch refusal.kind {
            case .invalid: 400
            case .forbidden: 403
            case .notFound: 404
            case .conflict: 409
            case .gone: 410
            case .tooLarge: 413
            case .unprocessable: 422
            case .failed: 500
            case .unavailable: 503
            }
        self.init(
            status: status,
            code: refusal.code,
            title: refusal.title,
            detail: refusal.detail,
            retryable: refusal.retryable,
            retryAfterSeconds: refusal.retryAfterSeconds,
            outcome: refusal.outcome.map { $0 == .known ? .known : .unknown },
            extensions: refusal.extensions
        )
    }
}

extension EdgeRequest {
    /// The query parameters.
    package var query: ParameterReader { ParameterReader(target) }
}

extension ParameterReader {
    package init(_ target: RequestTarget) {
        self.init(target.parameters.map { ($0.name, $0.value) })
    }
}
