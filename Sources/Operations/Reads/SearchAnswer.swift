package import Canonical
package import Composition
package import EventLog
import Payments
package import Projections
package import Reconciliation

/// The results of a search by name.
package struct SearchAnswer: Sendable {
    /// The kinds of names.
    package enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
        case transaction, batch, checkout, statement, exception, run, period
        case exceptionOfTransaction = "exception_transaction"
        case exceptionOfLine = "exception_line"
        case batchNumber = "batch_number"
        case readerSerial = "reader_serial"
        case position
        case gatewayID = "gateway_id"
        case rrn
        case invoice
        case authCode = "auth_code"
        case reference
        case transactionsBatch = "transactions_batch"
        case lastFour = "last4"
    }

    /// The results for one kind of name.
    package struct Finding: Sendable {
        package var kind: Kind
        package var transactions: [StoredTransaction] = []
        package var batches: [BatchView] = []
        package var checkouts: [CheckoutView] = []
        package var statements: [StatementView] = []
        package var readers: [ReaderView] = []
        package var events: [RecordedEvent] = []
        package var exceptions: [ExceptionView] = []
        package var runs: [RunView] = []
        package var periods: [PeriodView] = []

        package var count: Int {
            transactions.count + batches.count + checkouts.count + statements.count + readers.count + events.count
                + exceptions.count + runs.count + periods.count
        }
    }

    /// The most results of each kind.
    package static let limit = 10

    package var sought: String
    package var findings: [Finding]
    /// The time at which ages are computed.
    package var now: Timestamp
}

extension Ledger {
    /// Searches all kinds of names: ids of transactions, batches, checkouts, statements, exceptions, runs and closed
    /// days, ids of payments and lines of exceptions, names of those lines, SHA-256 of statement files, gateway ids,
    /// retrieval references, invoices, authorization codes, apps' references, last four digits, batch numbers, serial
    /// numbers of readers, and positions written as `#17`. Kinds without results are left out.
    ///
    /// - Parameter typed: The name; surrounding and repeated spaces are ignored.
    package func search(_ typed: String, of tenant: String) async throws -> SearchAnswer {
        let sought = typed.split(separator: " ").joined(separator: " ")
        guard !sought.isEmpty else { return SearchAnswer(sought: "", findings: [], now: clock.now()) }
        let filters = Self.filters(sought)
        var findings = try await named(sought, tenant)
        findings += try await withThrowingTaskGroup(of: (Int, SearchAnswer.Finding).self) { group in
            for (index, (kind, filter)) in filters.enumerated() {
                group.addTask {
                    let limit = SearchAnswer.limit
                    let found = try await payments.transactions.transactions(of: tenant, matching: filter, limit: limit)
                    return (index, .init(kind: kind, transactions: found))
                }
            }
            var found: [(Int, SearchAnswer.Finding)] = []
            for try await finding in group { found.append(finding) }
            return found.sorted { $0.0 < $1.0 }.map(\.1)
        }
        return SearchAnswer(sought: sought, findings: findings.filter { $0.count > 0 }, now: clock.now())
    }

    private static func filters(_ sought: String) -> [(SearchAnswer.Kind, TransactionFilter)] {
        var filters: [(SearchAnswer.Kind, TransactionFilter)] = []
        func add(_ kind: SearchAnswer.Kind, _ set: (inout TransactionFilter) -> Void) {
            var filter = TransactionFilter()
            set(&filter)
            filters.append((kind, filter))
        }
        add(.gatewayID) { $0.gatewayTransaction = sought }
        add(.rrn) { $0.retrievalReference = sought }
        add(.invoice) { $0.invoice = sought }
        add(.authCode) { $0.authorizationCode = sought }
        add(.reference) { $0.reference = sought }
        add(.transactionsBatch) { $0.batch = sought }
        let isLastFour = sought.utf8.count == 4 && sought.utf8.allSatisfy { (0x30...0x39).contains($0) }
        if isLastFour { add(.lastFour) { $0.lastFour = sought } }
        return filters
    }

    /// The statement with this id, or those read from a file with this digest.
    private func statements(named sought: String, _ tenant: String) async throws -> [StatementView] {
        guard let id = UUID128(sought) else {
            return try await reconciliation.statements.statements(ofFile: sought.lowercased(), of: tenant)
        }
        return [try await reconciliation.statements.statement(id, of: tenant)].compactMap(\.self)
    }

    /// The results by id, batch number, serial number or position.
    private func named(_ sought: String, _ tenant: String) async throws -> [SearchAnswer.Finding] {
        var findings: [SearchAnswer.Finding] = []
        if let id = UUID128(sought) {
            let transaction = try await payments.transactions.transaction(id, of: tenant)
            findings.append(.init(kind: .transaction, transactions: [transaction].compactMap(\.self)))
            let batch = try await payments.batches.batch(id, of: tenant)
            findings.append(.init(kind: .batch, batches: [batch].compactMap(\.self)))
        }
        findings += try await reconciled(sought, tenant)
        let checkout = try await payments.checkouts.checkout(sought, of: tenant)
        findings.append(.init(kind: .checkout, checkouts: [checkout].compactMap(\.self)))
        findings.append(.init(kind: .statement, statements: try await statements(named: sought, tenant)))
        let numbered = try await payments.batches.batches(of: tenant, number: sought, limit: SearchAnswer.limit)
        findings.append(.init(kind: .batchNumber, batches: numbered))
        var serials: [ReaderView] = []
        for vendor in Vendor.allCases {
            let reference = ReaderReference(vendor: vendor, serial: sought)
            if let reader = try await payments.readers.reader(reference, of: tenant) { serials.append(reader) }
        }
        findings.append(.init(kind: .readerSerial, readers: serials))
        // The hash sign distinguishes a position from other numbers.
        if sought.hasPrefix("#"), let position = Int64(sought.dropFirst()), position > 0,
            let event = try await reader.event(at: position, of: tenant)
        {
            findings.append(.init(kind: .position, events: [event]))
        }
        return findings
    }

    /// The exceptions, runs and closed days with this name, and the exceptions about it.
    private func reconciled(_ sought: String, _ tenant: String) async throws -> [SearchAnswer.Finding] {
        let limit = SearchAnswer.limit
        guard let id = UUID128(sought) else {
            let named = try await reconciliation.exceptions.exceptions(ofLinesNamed: sought, of: tenant, limit: limit)
            return [.init(kind: .exceptionOfLine, exceptions: named)]
        }
        let exception = try await reconciliation.exceptions.exception(id, of: tenant)
        let run = try await reconciliation.reconciler.run(id, of: tenant)
        let period = try await reconciliation.query.period(id, of: tenant)
        var ofTransaction = ExceptionFilter()
        ofTransaction.transaction = id
        var ofLine = ExceptionFilter()
        ofLine.line = id
        return [
            .init(kind: .exception, exceptions: [exception].compactMap(\.self)),
            .init(kind: .run, runs: [run].compactMap(\.self)),
            .init(kind: .period, periods: [period].compactMap(\.self)),
            .init(
                kind: .exceptionOfTransaction,
                exceptions: try await reconciliation.exceptions.exceptions(
                    of: tenant,
                    matching: ofTransaction,
                    limit: limit
                )
            ),
            .init(
                kind: .exceptionOfLine,
                exceptions: try await reconciliation.exceptions.exceptions(of: tenant, matching: ofLine, limit: limit)
            ),
        ]
    }
}
