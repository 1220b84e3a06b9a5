import Canonical
import Redaction

/// The scrubber on any document: scrubbing its own output again changes nothing.
enum RedactionFuzzing {
    static func run(_ input: [UInt8]) -> String? {
        let document =
            (try? JSONValue(parsing: input)).map { UnscrubbedDocument($0) } ?? UnscrubbedDocument(unreadable: input)
        let scrubbed = Scrubber().scrub(document)
        let again = Scrubber().scrub(UnscrubbedDocument(scrubbed.value))
        return again.value == scrubbed.value ? nil : "scrubbing a scrubbed document changed it"
    }
}
