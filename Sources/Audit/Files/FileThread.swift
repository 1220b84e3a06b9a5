import EventLog

/// The thread for reading and writing files, which must not block the threads that all tasks share.
actor FileThread {
    private nonisolated let executor = QueueExecutor(label: "daybook.files")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func run<Result: Sendable, Failure: Error>(
        _ work: @Sendable () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try work()
    }
}
