import Access
package import Canonical
package import EventLog
import Ledger

extension RecordedEvent {
    /// The record line as JSON.
    package func json() throws -> JSONValue { try JSONValue(parsing: recordLine.utf8) }
}
