import Canonical
import Synchronization

/// The rules that follow from a member's name, independent of its value.
///
/// Documents repeat a few hundred names, so the results are cached. Only names without a secret are cached, up to a
/// limit.
final class MemberName: Sendable {
    /// The name, scrubbed.
    let text: String
    /// The redactions in the name itself.
    let redactions: [RedactedPlace]
    /// See `SensitiveNames.normalized`.
    let normalized: String
    /// The treatment of a value with this name in every document.
    let treatment: SensitiveNames.Treatment?
    /// True if the member's value names the member beside it: `{"name": "cvv", "value": "123"}`.
    let isAlias: Bool
    /// True for the member that holds the named value.
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

    private static func isASCII(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { bytes in bytes.allSatisfy { $0 < 0x80 } }
    }

    static func of(_ name: String) -> MemberName {
        // Unicode strings can be equal in different spellings; only ASCII strings have a single one.
        guard name.utf8.count <= longestKnown, isASCII(name) else { return MemberName(name) }
        if let known = known.withLock({ $0[name] }) { return known }
        let made = MemberName(name)
        guard made.redactions.isEmpty else { return made }
        known.withLock { known in
            // Invented names must not exhaust the memory.
            if known.count >= knownLimit { known.removeAll(keepingCapacity: true) }
            known[name] = made
        }
        return made
    }
}

/// The rules for the names of an object's members, in order.
final class MemberNames: Sendable {
    let names: [MemberName]

    private init(_ keys: [String]) { names = keys.map { MemberName.of($0) } }

    static func of(_ object: JSONObject) -> MemberNames {
        guard let shared = object.sharedNames else { return MemberNames(object.keys) }
        // What is derived for a type is what its own closure made.
        return unsafeDowncast(shared.derived(Self.self) { MemberNames(object.keys) }, to: MemberNames.self)
    }
}
