package import Canonical

/// The reason why a command or a read is not executed, in one vocabulary for the API, the console and the command line.
///
/// Everything in it reaches the caller: it never contains what the caller must not see, nor card data.
package struct Refusal: Error, Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// The request does not have the form it must have.
        case invalid
        /// The caller does not have the permission.
        case forbidden
        case notFound
        /// It belonged to an earlier epoch of the log.
        case gone
        /// The state of the subject does not allow it, or changed since the caller read it.
        case conflict
        /// The request is well-formed and cannot be executed.
        case unprocessable
        case tooLarge
        /// A failure without a more specific refusal.
        case failed
        /// It may succeed later.
        case unavailable
    }

    /// Whether the requested work was done, where a refusal leaves that open.
    package enum Outcome: String, Codable, Sendable, Hashable, CaseIterable {
        /// Nothing was done.
        case known
        /// It may have been done: query it before repeating it.
        case unknown
    }

    package var kind: Kind
    /// A stable name in kebab case.
    package var code: String
    /// The same text for every refusal with this code.
    package var title: String
    /// The particulars of this refusal, or the next step.
    package var detail: String?
    /// True if the same request may succeed later.
    package var retryable: Bool
    /// The time to wait before that, in seconds.
    package var retryAfterSeconds: Int?
    package var outcome: Outcome?
    /// Further members, such as `pointer`, the JSON Pointer of the member that is wrong.
    package var extensions: JSONObject

    package init(
        kind: Kind,
        code: String,
        title: String,
        detail: String? = nil,
        retryable: Bool = false,
        retryAfterSeconds: Int? = nil,
        outcome: Outcome? = nil,
        extensions: JSONObject = JSONObject()
    ) {
        self.kind = kind
        self.code = code
        self.title = title
        self.detail = detail
        self.retryable = retryable
        self.retryAfterSeconds = retryAfterSeconds
        self.outcome = outcome
        self.extensions = extensions
    }

    package static let notFound = Refusal(kind: .notFound, code: "not-found", title: "Not found")

    /// An internal fault, without any detail of it.
    package static let `internal` = Refusal(kind: .failed, code: "internal", title: "Internal error")
}
