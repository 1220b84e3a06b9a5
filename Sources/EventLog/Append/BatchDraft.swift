import Canonical
import Merkle
import Postgres

/// A batch computed completely for a log that ends at `base`: positions, versions, record lines, leaves, tiles and the
/// new end. Writing it is one call. If the log no longer ends at `base`, a new batch is drafted.
struct BatchDraft: Sendable {
    let base: LogTip
    /// The end of the log after this batch is written.
    let tip: LogTip
    /// The result of each item after this batch is written.
    let results: [Result<AppendResult, AppendError>]
    /// Identifies the batch in the log; nil when no item is to be written.
    let firstID: UUID128?
    let firstLeaf: MerkleHash?
    let parameters: EncodedParameters?
    /// The events as the log will hold them.
    let events: [RecordedEvent]
    /// The versions that streams reach, for streams that items with the expectation `any` append to.
    let versions: [TenantName: Int64]
    /// The facts this batch adds about its streams and keys.
    let added: LogFacts

    static let sql = """
        SELECT ledger.append(
            $1::bigint, $2::timestamptz, $3::bytea, $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[],
            $9::uuid[], $10::bytea[], $11::bigint[], $12::int[], $13::text[], $14::text[], $15::text[], $16::bigint[],
            $17::uuid[], $18::text[], $19::text[], $20::bigint[], $21::text[], $22::smallint[], $23::timestamptz[],
            $24::text[], $25::text[], $26::uuid[], $27::text[], $28::text[], $29::bytea[], $30::smallint[],
            $31::bigint[], $32::bytea[], $33::bytea[], $34::bytea, $35::bigint)
        """

    /// - Parameter now: The ledger's clock. If the last event of the log has a later time, that time is used, so that
    ///   time never decreases.
    /// - Returns: Nil when the facts do not suffice.
    /// - Throws: `PostgresError` when a value cannot be sent to PostgreSQL.
    init?(_ items: [AppendItem], facts: LogFacts, base: LogTip, now: Timestamp) throws(PostgresError) {
        var judge = BatchJudge(facts: facts, position: base.position)
        for item in items {
            guard judge.judge(item) else { return nil }
        }
        self.base = base
        results = judge.results
        added = judge.added
        guard let first = judge.placed.first?.item.events.first else {
            tip = base
            firstID = nil
            firstLeaf = nil
            parameters = nil
            events = []
            versions = [:]
            return
        }
        firstID = first.id
        var rows = BatchRows(eventCount: judge.placed.reduce(0) { $0 + $1.item.events.count })
        var tip = base
        tip.recordedAt = max(base.recordedAt, now)
        var versions: [TenantName: Int64] = [:]
        for placed in judge.placed {
            rows.add(placed, to: &tip)
            if placed.item.expected == .any {
                let stream = TenantName(tenant: placed.item.tenant, name: placed.item.stream)
                versions[stream] = placed.version + Int64(placed.item.events.count)
            }
        }
        firstLeaf = rows.firstLeaf
        events = rows.events
        self.tip = tip
        self.versions = versions
        parameters = try EncodedParameters(rows.parameters(base: base, tip: tip))
    }
}
