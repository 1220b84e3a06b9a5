/// An instant: whole microseconds since 1970-01-01T00:00:00Z, without leap seconds.
package struct Timestamp: Sendable, Hashable {
    /// Microseconds since the Unix epoch; negative before it.
    package let microsecondsSince1970: Int64

    package init(microsecondsSince1970: Int64) {
        self.microsecondsSince1970 = microsecondsSince1970
    }
}
