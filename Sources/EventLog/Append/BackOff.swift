/// The delay before a retry: 20 ms, doubled up to 2 s, reduced by a random amount of up to a quarter so that several
/// processes do not retry in step.
struct BackOff {
    private(set) var attempts = 0

    mutating func reset() { attempts = 0 }

    /// The next delay.
    mutating func next() -> Duration {
        let milliseconds = min(2000, 20 << min(attempts, 10))
        attempts += 1
        return .milliseconds(milliseconds - Int.random(in: 0...(milliseconds / 4)))
    }
}
