import Canonical
package import EventLog
package import Payments
import Postgres

/// An event that a read model cannot apply: it cannot be read, or its rows cannot be stored.
package struct UnappliedEvent: Error {
    /// The position of the event, or of the first event of its run.
    package let position: Int64
    /// The type of the error. The error's text is left out because it could quote data.
    package let reason: String

    package init(position: Int64, cause: any Error) {
        self.position = position
        let type = String(reflecting: Swift.type(of: cause))
        reason = (cause as? PostgresError)?.sqlState.map { "\(type) \($0)" } ?? type
    }
}

extension RecordedEvent {
    /// The event as one of a family, for a read model that applies it.
    ///
    /// - Throws: `UnappliedEvent` for an event that is not of the family, or cannot be read.
    package func fact<Fact: LedgerEvent>(_: Fact.Type) throws(UnappliedEvent) -> Fact {
        // What this process appended need not be decoded.
        if let fact = source.value as? Fact { return fact }
        do {
            return try Fact(type: type, schema: schema, data: JSONValue(parsing: data.utf8))
        } catch {
            throw UnappliedEvent(position: position, cause: error)
        }
    }
}
