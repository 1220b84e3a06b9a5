/// A NOTIFY received by a listening connection.
package struct PostgresNotification: Sendable, Hashable {
    package let channel: String
    /// The payload, empty if none was sent. Nil when so many different ones arrived that they were folded into one
    /// notification: something happened on the channel, and its state must be read.
    package let payload: String?

    package init(channel: String, payload: String?) {
        self.channel = channel
        self.payload = payload
    }
}
