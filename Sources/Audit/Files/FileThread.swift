import EventLog

/// Where files are read and written: that blocks, and must not block the threads all tasks share.
actor FileThread {
    private nonisolated let executor = QueueExecutor(label: "daybook.files")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Runs blocking work here.
    func run<Result: Sendable, Failure: Error>(
        _ work: @Sendable () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try work()
    }
}
