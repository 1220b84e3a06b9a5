import Dispatch

/// Runs an actor's jobs on a dispatch queue of its own: what blocks or computes for long must not hold up the threads that
/// all tasks share.
package final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// - Parameter label: What debuggers call the queue.
    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
