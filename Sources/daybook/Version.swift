/// What this program is.
enum Version {
    /// The version of the release. `ops/sbom` reads it here.
    static let number = "0.1.0"

    /// Such as `0.1.0 (commit 0123456789ab)`.
    static let text = "\(number) (commit \(builtCommit.prefix(12)))"
}
