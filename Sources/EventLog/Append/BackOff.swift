/// How long to wait before trying again: 20 ms doubled up to 2 s, with up to a quarter off so that several processes
/// do not come back in step.
struct BackOff {
    private(set) var attempts = 0

    mutating func reset() { attempts = 0 }

    /// The next wait.
    mutating func next() -> Duration {
        let milliseconds = min(2000, 20 << min(attempts, 10))
        attempts += 1
        return .milliseconds(milliseconds - Int.random(in: 0...(milliseconds / 4)))
    }
}
