import Synchronization

/// What the name of a member says before its value is looked at.
///
/// Documents repeat a few hundred names for ever, so what was found out about a name is kept. Only names without any
/// secret in them are, and not many.
struct MemberName: Sendable {
    /// The name, scrubbed.
    let text: String
    /// What was taken out of the name itself.
    let redactions: [Redaction]
    /// See `SensitiveNames.normalized`.
    let normalized: String
    /// How a value of this name is treated in every document.
    let treatment: SensitiveNames.Treatment?
    /// True where the value of such a member names the member beside it: `{"name": "cvv", "value": "123"}`.
    let isAlias: Bool
    /// True for the member beside it.
    let isValue: Bool

    private init(_ name: String) {
        let scrubbed = TextScrubber().scrub(name)
        text = scrubbed.text
        redactions = scrubbed.redactions
        normalized = SensitiveNames.normalized(name)
        treatment = SensitiveNames.treatment(of: normalized)
        isAlias = Self.aliasNames.contains(normalized)
        isValue = Self.valueNames.contains(normalized)
    }

    private static let aliasNames: Set<String> = ["name", "key", "field", "tag", "id", "label", "parameter"]
    private static let valueNames: Set<String> = ["value", "val", "data", "content"]

    private static let known = Mutex<[String: MemberName]>([:])
    private static let knownLimit = 4096
    private static let longestKnown = 64

    static func of(_ name: String) -> MemberName {
        // Strings are equal in several spellings, and only those of ASCII have one.
        guard name.utf8.count <= longestKnown, name.utf8.allSatisfy({ $0 < 0x80 }) else { return MemberName(name) }
        if let known = known.withLock({ $0[name] }) { return known }
        let made = MemberName(name)
        guard made.redactions.isEmpty else { return made }
        known.withLock { known in
            // A sender who makes names up must not fill the memory.
            if known.count >= knownLimit { known.removeAll(keepingCapacity: true) }
            known[name] = made
        }
        return made
    }
}
