import CCallgrind

/// The instruction counts of this process, if it runs under callgrind.
enum Meter {
    /// Ends a count, which callgrind writes to a file, and starts the next at zero.
    ///
    /// - Parameter name: The name of the count in the file.
    static func mark(_ name: String) {
        name.withCString { callgrind_dump($0) }
    }
}
