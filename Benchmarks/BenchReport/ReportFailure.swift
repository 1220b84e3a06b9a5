/// A report or document that cannot be read.
package struct ReportFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
