import Canonical
import Crypto
import EventLog
import Intake
import Payments
import Postgres
import Projections

/// Records which batches are part of another one: documents name a batch by a terminal or merchant of one account only,
/// and the batch of the same number of that account by the account.
///
/// A batch about whose closing a document reports is not linked, and neither is an unnamed batch with sales of another
/// merchant. A link ends when the name comes to belong to several accounts.
struct BatchLinking {
    private let batches: BatchQuery
    private let merchants: MerchantQuery
    private let recorder: TransactionRecorder
    private let reader: EventReader

    init(pool: PostgresPool, reader: EventReader, recorder: TransactionRecorder) {
        batches = BatchQuery(pool: pool)
        merchants = MerchantQuery(pool: pool)
        self.recorder = recorder
        self.reader = reader
    }

    /// Links the batches that events have named first, and those under names that the events have linked to an account.
    ///
    /// - Parameters:
    ///   - events: The events after `start`, up to `end`, about payments, batches and readers. The read models contain
    ///     them.
    ///   - accounts: The accounts to which these events have linked a name.
    func link(
        _ events: [RecordedEvent],
        after start: Int64,
        upTo end: Int64,
        _ accounts: [VendorAccount]
    ) async throws {
        let causes = Dictionary(events.map { ($0.tenant, $0) }) { $1 }
        for (tenant, batch, first) in try await batches.separate(of: Set(causes.keys), after: start, upTo: end) {
            let cause = events.first { $0.position == first } ?? causes[tenant]
            guard let cause, let account = try await account(of: batch, tenant: tenant, at: end) else { continue }
            try await link(batch, to: account, cause: cause, at: end)
        }
        guard !accounts.isEmpty else { return }
        for account in accounts {
            guard let cause = causes[account.tenant] else { continue }
            let names = try await merchants.names(of: account, at: end)
            for batch in try await batches.separate(under: names, of: account) {
                try await link(batch, to: account, cause: cause, at: end)
            }
        }
        for (tenant, batch) in try await batches.parts(of: Set(causes.keys), linkedAfter: start, upTo: end) {
            guard let cause = causes[tenant], try await account(of: batch, tenant: tenant, at: end) == nil else {
                continue
            }
            try await record(BatchLink(batch, partOf: batch), of: tenant, cause: cause)
        }
    }

    private func account(of batch: BatchReference, tenant: String, at position: Int64) async throws -> VendorAccount? {
        guard let name = batch.account else { return nil }
        let named = VendorAccount(tenant: tenant, vendor: batch.vendor, name: name)
        return try await merchants.account(of: named, at: position)
    }

    private func link(
        _ batch: BatchReference,
        to account: VendorAccount,
        cause: RecordedEvent,
        at position: Int64
    ) async throws {
        let tenant = account.tenant
        if batch.number == nil {
            let named = try await batches.merchants(of: batch, tenant: tenant)
            guard try await merchants.strangers(among: named, to: account, at: position).isEmpty else { return }
        }
        let own = BatchReference(
            vendor: batch.vendor,
            account: account.name,
            number: batch.number,
            generation: batch.generation
        )
        // The read model may not contain the last link yet.
        let history = try await reader.stream(StreamName.batch(own, of: tenant), of: tenant)
        let whole = BatchState(folding: try history.map(BatchEvent.init)).partOf ?? own
        guard whole != batch else { return }
        try await record(BatchLink(batch, partOf: whole), of: tenant, cause: cause)
    }

    private func record(_ link: BatchLink, of tenant: String, cause: RecordedEvent) async throws {
        let text = "linked:\(tenant):\(link.batch.text):\(link.partOf.text)"
        let key = Array(SHA256.hash(data: Array(text.utf8)))
        _ = try await recorder.record(
            [.batchLinked(link)],
            about: link.batch,
            from: nil,
            idempotency: [IdempotencyKey(key: key, request: key)],
            occurredAt: cause.occurredAt,
            sender: Sender(tenant: tenant, actor: "process:settlement", correlation: cause.correlation),
            isIntake: false
        )
    }
}
