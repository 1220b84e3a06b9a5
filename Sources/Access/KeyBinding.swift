/// What everything that is sent with a key must name. The key names the subjects, such as `vendor`, and the values that
/// are allowed for each; who receives what is sent compares them.
package struct KeyBinding: Sendable, Hashable {
    /// The allowed values by subject. A subject that is missing is not bound.
    package private(set) var values: [String: Set<String>] = [:]

    package init(_ values: [String: Set<String>] = [:]) {
        self.values = values.filter { !$0.value.isEmpty }
    }

    /// Reads the stored form. A text that is not `subject=value` is a subject without an allowed value.
    init(texts: [String]) {
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if parts.count == 2 {
                values[parts[0], default: []].insert(parts[1])
            } else {
                values[text] = values[text] ?? []
            }
        }
    }

    /// The stored form: `subject=value` for each value, in order.
    package var texts: [String] { values.flatMap { subject, values in values.map { "\(subject)=\($0)" } }.sorted() }
}
