import Simulator

/// A request as received.
struct StandInRequest: Sendable {
    /// For example `GET` or `POST`.
    let method: String
    /// The path without the query.
    let path: String
    /// The header fields by lower-case name; the last of several with the same name.
    let fields: [String: String]
    let body: [UInt8]
}

/// A reply, with its planned fault.
struct StandInReply: Sendable {
    var status = 200
    var contentType = "application/json"
    var body: [UInt8]
    /// The fault while writing; `body` already contains any fault of the content.
    var fault: PlannedFault?

    static func text(_ status: Int, _ text: String) -> StandInReply {
        StandInReply(status: status, contentType: "text/plain", body: Array(text.utf8))
    }
}
