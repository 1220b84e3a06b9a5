import Canonical
import EventLog
import Payments

// The agreement of closed batches with their hosts' reports.
extension PaymentQueries {
    /// The most lines of a batch that are compared individually.
    private static let agreementLimit = 50_000

    /// Compares the ledger's net of a batch with its host's, and names the payments behind a difference.
    ///
    /// - Returns: Nil while the batch is not closed, or when the host reported no net.
    /// - Throws: The errors of reading the log and the read model.
    package func agreement(of batch: BatchView, tenant: String) async throws -> BatchAgreement? {
        guard let closing = batch.closing, let host = closing.totals?.comparedNet,
            let position = try await closingPosition(of: batch, tenant: tenant)
        else { return nil }
        let (atClose, hadMore) = try await lines(of: batch, tenant: tenant, at: position)
        let (now, hasMore) = try await lines(of: batch, tenant: tenant, at: nil)
        // A payment that belongs to the batch may have occurred before every payment in it.
        let around = try await batches.surroundings(
            of: batch,
            tenant: tenant,
            from: batch.openedAt.adding(microseconds: -86_400_000_000),
            to: batch.closedAt ?? batch.openedAt
        )
        var agreement = BatchEvidence(
            closingPosition: position,
            host: host,
            atClose: atClose,
            now: now,
            elsewhere: around.lines,
            undecided: around.undecided,
            contested: try await contested(now, in: batch, of: tenant)
        ).agreement()
        agreement.isPartial = hadMore || hasMore
        return agreement
    }

    /// The position of the event that closed a batch; nil when there is none.
    package func closingPosition(of batch: BatchView, tenant: String) async throws -> Int64? {
        let stream = StreamName.batch(batch.reference, of: tenant)
        return try await reader.stream(stream, of: tenant).first { $0.type == BatchEvent.Name.batchClosed.rawValue }?
            .position
    }

    private func contested(
        _ lines: [BatchLine],
        in batch: BatchView,
        of tenant: String
    ) async throws -> [BatchDiscrepancy] {
        var found: [BatchDiscrepancy] = []
        for payment in try await batches.contested(in: batch.id, of: tenant) {
            let events = try await reader.stream(StreamName.transaction(payment), of: tenant)
            let reported = try events.map { try StreamFolder<TransactionState>.fact($0, at: $0.position) }
            for line in lines where line.transaction == payment { found += line.contested(by: reported) }
        }
        return found
    }

    private func lines(
        of batch: BatchView,
        tenant: String,
        at position: Int64?
    ) async throws -> (lines: [BatchLine], hasMore: Bool) {
        var lines: [BatchLine] = []
        while true {
            let last = lines.last.map { ($0.transaction, $0.line) }
            let page = try await batches.lines(of: batch.id, tenant: tenant, at: position, after: last, limit: 1000)
            lines += page
            if page.count < 1000 { return (lines, false) }
            if lines.count >= Self.agreementLimit { return (lines, true) }
        }
    }
}

extension HostTotals {
    /// The reported net, else sales less refunds; nil when neither is known.
    fileprivate var comparedNet: Money? {
        if let net { return net }
        guard let sales, let refunds, sales.currency == refunds.currency else { return nil }
        return Money(sales.value.subtractingSaturated(refunds.value), sales.currency)
    }
}
