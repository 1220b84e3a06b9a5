import HTTPTypes

/// The coding of an answer's content on the wire (RFC 9110 section 8.4): plain, or compressed with gzip.
struct ContentCoding: Sendable {
    let isGzip: Bool
    /// Whether another `Accept-Encoding` could have given another coding.
    private let isNegotiated: Bool

    /// A smaller body is sent in one packet anyway, so compression is not worth the work.
    private static let smallestBytes = 1024

    init(of response: EdgeResponse, to request: RequestHead) {
        // With compression, an attacker who can repeat guesses in a page learns from its length whether a guess equals
        // a secret in the page (BREACH). Only a browser can be made to send such guesses with a user's credentials,
        // which are cookies.
        let isExposed = request.fields.contains(.cookie) || response.fields.contains(.setCookie)
        isNegotiated = !isExposed && Self.isNegotiable(response)
        guard isNegotiated, let field = request.fields[.acceptEncoding] else {
            isGzip = false
            return
        }
        let accepted = AcceptEncodingField(field)
        isGzip =
            switch response.body {
            case .empty: false
            case .bytes(let bytes):
                accepted.prefersGzip && (bytes.count >= Self.smallestBytes || accepted.refusesIdentity)
            case .stream: accepted.prefersGzip
            }
    }

    /// The fields of the answer, with those that describe the coding.
    func fields(_ fields: HTTPFields) -> HTTPFields {
        guard isNegotiated else { return fields }
        var fields = fields
        let varying = fields[.vary].map { $0.split(separator: ",").map(\.trimmed) } ?? []
        fields[.vary] = (varying + ["Accept-Encoding"]).joined(separator: ", ")
        if isGzip { fields[.contentEncoding] = "gzip" }
        return fields
    }

    private static func isNegotiable(_ response: EdgeResponse) -> Bool {
        // A strong tag stands for exact bytes; those of the two codings differ.
        if let tag = response.fields[.eTag], !tag.hasPrefix("W/") { return false }
        // It has the fields of the answer it stands for.
        if response.status == .notModified { return response.fields.contains(.eTag) }
        if case .empty = response.body { return false }
        guard response.status != .noContent, response.status != .partialContent else { return false }
        guard !response.fields.contains(.contentEncoding), let type = response.fields[.contentType] else {
            return false
        }
        return plainText.contains(type) || isCompressible(type.prefix { $0 != ";" }.trimmed.lowercased())
    }

    private static func isCompressible(_ type: String) -> Bool {
        // Events are few and small, and comments come between them.
        if type == "text/event-stream" { return false }
        return type.hasPrefix("text/") || type.hasSuffix("+json") || type.hasSuffix("+xml") || plainText.contains(type)
    }

    private static let plainText: Set<String> = [
        "application/json", "application/x-ndjson", "application/javascript", "application/yaml", "application/xml",
        "text/plain; charset=utf-8",
    ]
}
