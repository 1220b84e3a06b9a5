/// A NOTIFY that reached a listening connection.
package struct PostgresNotification: Sendable, Hashable {
    package let channel: String
    /// The payload, empty if none was sent; nil when so many different ones came in that they were folded into one:
    /// something happened on the channel, and its state must be read.
    package let payload: String?

    package init(channel: String, payload: String?) {
        self.channel = channel
        self.payload = payload
    }
}
