/// Waits longer after every failure: 20 ms doubled up to 2 s, with up to a quarter off so that several
/// processes do not come back in step.
struct BackOff {
    private(set) var attempts = 0
    let clock: any Clock<Duration>

    init(clock: any Clock<Duration> = ContinuousClock()) { self.clock = clock }

    mutating func reset() { attempts = 0 }

    /// - Returns: False when the task was cancelled while waiting.
    mutating func wait() async -> Bool {
        let milliseconds = min(2000, 20 << min(attempts, 10))
        attempts += 1
        let jitter = Int.random(in: 0...(milliseconds / 4))
        do {
            try await clock.sleep(for: .milliseconds(milliseconds - jitter))
            return true
        } catch {
            return false
        }
    }
}
