import CCallgrind

/// The instructions of this process, where it runs under callgrind.
enum Meter {
    /// Ends a count, which callgrind writes to a file of its own, and begins the next one at zero.
    ///
    /// - Parameter name: Stands in the file.
    static func mark(_ name: String) {
        name.withCString { callgrind_dump($0) }
    }
}
