import Canonical

/// The events already appended under an idempotency key.
struct HeldKey: Hashable {
    var request: [UInt8]
    var range: AppendedRange
}

/// The facts in the log about the streams and keys that a batch names.
struct LogFacts {
    /// Versions of streams. If the facts are not complete, a stream that is missing here is assumed to be at the
    /// version an item expects.
    var versions: [TenantName: Int64] = [:]
    /// Earlier known versions of streams, for items with the expectation `any`. Never a reason to refuse an item.
    var remembered: [TenantName: Int64] = [:]
    var held: [UUID128: HeldKey] = [:]
    /// The streams that the reference keys lead to.
    var owners: [TenantName: String] = [:]
    /// True when these facts were read under the head lock. Otherwise they are a guess, which the append checks.
    var areComplete = false
    /// True when the log is not the one known before, or cannot be shown to be it.
    var isAnotherLog = false
}

/// An item that is to be written, with everything the log decides about it.
struct PlacedItem {
    var item: AppendItem
    /// Index of the item in its batch.
    var index: Int
    var firstPosition: Int64
    /// The version of the stream before the item.
    var version: Int64
    var claims: Claims
}

/// Judges items one after the other, each as if the items before it were in the log. It is pure, so that a whole batch
/// takes one database call even when its items depend on one another.
struct BatchJudge {
    private let facts: LogFacts
    /// The facts added by the items placed so far.
    private(set) var added = LogFacts()
    private var next: Int64
    private(set) var results: [Result<AppendResult, AppendError>] = []
    private(set) var placed: [PlacedItem] = []

    /// - Parameter position: The position of the newest event in the log.
    init(facts: LogFacts, position: Int64) {
        self.facts = facts
        next = position + 1
    }

    /// - Returns: False when the facts do not suffice: they are a guess and do not contain the stream's version.
    mutating func judge(_ item: AppendItem) -> Bool {
        var keys: [(key: UUID128, request: [UInt8])] = []
        var earlier: AppendedRange?
        for key in item.idempotency {
            let scoped = Claims.scoped(key.key, to: item.tenant)
            if let held = added.held[scoped] ?? facts.held[scoped] {
                guard held.request == key.request else { return answer(.mismatch) }
                earlier = earlier ?? held.range
            } else if !keys.contains(where: { $0.key == scoped }) {
                keys.append((scoped, key.request))
            }
        }
        if let earlier { return answer(.duplicate(earlier)) }
        if item.isFromMemory, facts.isAnotherLog { return answer(.claimed) }
        var references: [TenantName] = []
        for reference in item.references {
            let name = TenantName(tenant: item.tenant, name: reference)
            if let owner = added.owners[name] ?? facts.owners[name] {
                if !owner.hasSameUTF8(as: item.stream) { return answer(.claimed) }
            } else if !references.contains(name) {
                references.append(name)
            }
        }
        let stream = TenantName(tenant: item.tenant, name: item.stream)
        let held = added.versions[stream] ?? facts.versions[stream] ?? (facts.areComplete ? 0 : nil)
        let version: Int64
        switch item.expected {
        case .any:
            guard let known = held ?? facts.remembered[stream] else { return false }
            version = known
        case .version(let expected):
            // No stream reaches such a version; only the database knows the real one.
            let isPossible = 0..<Int64.max >> 1 ~= expected
            guard let known = held ?? (isPossible ? expected : nil) else { return false }
            version = known
            guard version == expected else { return answer(.conflict(actual: version)) }
        }
        if let limit = item.versionLimit, Int64(item.events.count) > limit - version {
            // A guess contains neither every version nor every key.
            guard facts.areComplete else { return false }
            results.append(.failure(AppendError(.streamFull)))
            return true
        }
        place(item, after: version, keys, references)
        return true
    }

    private mutating func answer(_ result: AppendResult) -> Bool {
        results.append(.success(result))
        return true
    }

    private mutating func place(
        _ item: AppendItem,
        after version: Int64,
        _ keys: [(key: UUID128, request: [UInt8])],
        _ references: [TenantName]
    ) {
        let range = AppendedRange(firstPosition: next, count: item.events.count)
        next += Int64(item.events.count)
        for key in keys { added.held[key.key] = HeldKey(request: key.request, range: range) }
        for reference in references { added.owners[reference] = item.stream }
        added.versions[TenantName(tenant: item.tenant, name: item.stream)] = version + Int64(item.events.count)
        let claims = Claims(events: item.events.count, idempotency: keys, references: references.map(\.name))
        placed.append(
            PlacedItem(
                item: item,
                index: results.count,
                firstPosition: range.firstPosition,
                version: version,
                claims: claims
            )
        )
        results.append(.success(.appended(range)))
    }
}
