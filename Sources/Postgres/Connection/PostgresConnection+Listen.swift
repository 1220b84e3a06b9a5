internal import CLibPQ

extension PostgresConnection {
    /// Listens on `channels` and returns their notifications as a sequence.
    ///
    /// A slow reader costs no memory: equal notifications are merged, and beyond a limit a channel's payloads are
    /// folded into one notification without payload. Listening begins before this returns, so read the state that the
    /// notifications concern afterwards. The connection can run statements meanwhile, but must not belong to a pool.
    ///
    /// - Throws: `PostgresError`. The sequence throws `.connectionLost` when the connection breaks, and ends when its
    ///   reading task is cancelled or `unlisten` is called.
    package func listen(to channels: [String]) async throws -> PostgresNotifications {
        let mailbox = Mailbox(channels: Set(channels))
        // Added before the LISTEN, so that nothing is missed; the server sends nothing until the LISTEN has taken
        // effect.
        listeners.append(mailbox)
        do {
            for channel in channels {
                _ = try await query("LISTEN \(Self.quotedIdentifier(channel))", [], in: nil)
            }
        } catch {
            mailbox.finish()
            throw error
        }
        return PostgresNotifications(mailbox: mailbox)
    }

    package func unlisten() async throws {
        for listener in listeners { listener.finish() }
        listeners = []
        _ = try await query("UNLISTEN *", [], in: nil)
    }

    func deliverNotifications() {
        while let notification = openSession?.nextNotification() {
            for listener in listeners { listener.deliver(notification) }
        }
        listeners.removeAll(where: \.isFinished)
    }

    static func quotedIdentifier(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

/// The notifications of one `listen`, for one reader.
package struct PostgresNotifications: AsyncSequence, Sendable {
    /// Lets the connection drop the stream once no reader can read it any more.
    fileprivate final class Reference: Sendable {
        let mailbox: Mailbox

        init(_ mailbox: Mailbox) {
            self.mailbox = mailbox
        }

        deinit {
            mailbox.finish()
        }
    }

    package struct Iterator: AsyncIteratorProtocol {
        private let reference: Reference

        fileprivate init(reference: Reference) {
            self.reference = reference
        }

        package mutating func next() async throws -> PostgresNotification? {
            try await reference.mailbox.next()
        }
    }

    private let reference: Reference

    init(mailbox: Mailbox) {
        reference = Reference(mailbox)
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(reference: reference)
    }
}
