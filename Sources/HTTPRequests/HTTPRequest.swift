/// A request to a server.
package struct HTTPRequest: Sendable {
    package var method: String
    /// Path and query.
    package var target: String
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]

    package init(
        method: String = "GET",
        target: String,
        fields: [(name: String, value: String)] = [],
        body: [UInt8] = []
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
    }
}

/// A complete answer.
package struct HTTPAnswer: Sendable {
    package let status: Int
    /// By lower-case name; values of one name are joined with commas.
    package let fields: [String: String]
    package let body: [UInt8]

    package var text: String { String(decoding: body, as: UTF8.self) }
}

/// There was no answer, or an incomplete one; it is unknown whether the request was executed.
package struct Unreachable: Error, Sendable {
    package let reason: String
    /// The part of the body that had arrived.
    package let body: [UInt8]

    package init(reason: String, body: [UInt8] = []) {
        self.reason = reason
        self.body = body
    }
}
