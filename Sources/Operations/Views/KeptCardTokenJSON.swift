package import Canonical

/// The answer to a card token that is kept.
package struct KeptCardTokenJSON: Codable, Sendable, Hashable {
    package var transaction: UUID128
    package var keptUntil: Timestamp

    package init(transaction: UUID128, keptUntil: Timestamp) {
        self.transaction = transaction
        self.keptUntil = keptUntil
    }
}
