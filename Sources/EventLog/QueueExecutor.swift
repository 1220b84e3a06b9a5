import Dispatch

/// Runs an actor's jobs on a private dispatch queue: jobs that block or compute for long must not hold up the threads
/// that all tasks share.
package final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// - Parameter label: The name of the queue in debuggers.
    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
