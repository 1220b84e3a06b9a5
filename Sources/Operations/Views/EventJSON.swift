import Access
package import Canonical
import Composition
package import EventLog

extension RecordedEvent {
    /// The record line as JSON.
    package func json() throws -> JSONValue { try JSONValue(parsing: recordLine.utf8) }
}
