import Simulator

/// A request as the sockets read it.
struct StandInRequest: Sendable {
    /// `GET`, `POST`.
    let method: String
    /// Without the query.
    let path: String
    /// By lower-case name; of several the last.
    let fields: [String: String]
    let body: [UInt8]
}

/// What is written back, or not.
struct StandInReply: Sendable {
    var status = 200
    var contentType = "application/json"
    var body: [UInt8]
    /// How the writing goes wrong; the body is already as broken as it is to be.
    var fault: PlannedFault?

    static func text(_ status: Int, _ text: String) -> StandInReply {
        StandInReply(status: status, contentType: "text/plain", body: Array(text.utf8))
    }
}
