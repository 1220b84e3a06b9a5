import Access
import Canonical
import Composition
import EventLog
import HTTPEdge
import Operations
import Payments
import Projections
import Reconciliation

extension WebConsole {
    func addSearch(to router: inout EdgeRouter<Principal>) {
        addPage(.search, needs: [.read], to: &router) { try await search($0) }
    }

    /// Finds everything with the entered identifier. A single result is shown at once, unless `all=true` requests the
    /// list.
    private func search(_ visit: Visit) async throws -> PageAnswer {
        var query = visit.query
        let typed = try query.text("q") ?? ""
        let wantsAll = try query.flag("all") ?? false
        try query.finish()
        let answer = try await ledger.search(typed, of: visit.tenant)
        guard !answer.sought.isEmpty else { return .redirect(Address.root) }
        // Exceptions of a payment are on the page of the payment.
        let named = answer.findings.filter { $0.kind != .exceptionOfTransaction }
        let places = Set((named.isEmpty ? answer.findings : named).flatMap(Self.places))
        if !wantsAll, places.count == 1, let place = places.first { return .redirect(place) }
        let sections = try answer.findings.map { finding -> PageValue in
            let title = Self.title(finding.kind)
            var members: [String: PageValue] = ["kind": .text(title)]
            if !finding.transactions.isEmpty {
                let items = try finding.transactions.map { try TransactionJSON($0) }
                members["table"] = transactionTable(items, title, visit).value
            } else if !finding.batches.isEmpty {
                members["table"] = batchTable(finding.batches, title, visit).value
            } else if !finding.checkouts.isEmpty {
                members["table"] = checkoutTable(finding.checkouts.map(CheckoutJSON.init), title, visit).value
            } else if !finding.statements.isEmpty {
                members["table"] = statementTable(try finding.statements.map(StatementJSON.init), title, visit).value
            } else if !finding.readers.isEmpty {
                members["table"] = readerTable(finding.readers, title, visit).value
            } else if !finding.exceptions.isEmpty {
                let items = try finding.exceptions.map { try ExceptionJSON($0, at: visit.now) }
                members["table"] = exceptionTable(items, title, visit).value
            } else if !finding.runs.isEmpty {
                members["table"] = runTable(try finding.runs.map(RunJSON.init), title, visit).value
            } else if !finding.periods.isEmpty {
                members["table"] = periodTable(try finding.periods.map(PeriodJSON.init), title, visit).value
            } else if !finding.events.isEmpty {
                members["table"] = eventTable(finding.events, visit).value
            }
            return .object(members)
        }
        let isCut = answer.findings.contains { $0.count >= SearchAnswer.limit }
        var page = Page(
            "search",
            "Search",
            [
                "sought": .text(answer.sought), "sections": .list(sections), "nothing": .given(sections.isEmpty),
                "isCut": .given(isCut), "limit": "\(SearchAnswer.limit)",
            ]
        )
        page.place = ViewPlace(query: [("q", answer.sought)], tenant: visit.tenant)
        return .page(page)
    }

    /// The addresses of the results.
    private static func places(_ finding: SearchAnswer.Finding) -> [String] {
        finding.transactions.map { Address.transaction($0.id.description) }
            + finding.batches.map { Address.batch($0.id.description) }
            + finding.checkouts.map { Address.checkout($0.id) }
            + finding.statements.map { Address.statement($0.id.description) }
            + finding.readers.map { Address.reader($0.reader.vendor.rawValue, $0.reader.serial) }
            + finding.events.map { Address.event($0.position) }
            + finding.exceptions.map { Address.exception($0.id.text) }
            + finding.runs.map { Address.run($0.id.text) } + finding.periods.map { Address.period($0.id.text) }
    }

    private static func title(_ kind: SearchAnswer.Kind) -> String {
        switch kind {
        case .transaction: "Transactions with this id"
        case .batch: "Batches with this id"
        case .checkout: "Checkouts with this id"
        case .statement: "Statements with this id, or of this file"
        case .exception: "Exceptions with this id"
        case .exceptionOfTransaction: "Exceptions of this payment"
        case .exceptionOfLine: "Exceptions of a line with this id or reference"
        case .run: "Runs with this id"
        case .period: "Closed days with this id"
        case .batchNumber: "Batches with this number"
        case .readerSerial: "Readers with this serial number"
        case .position: "Events at this position"
        case .gatewayID: "Transactions with this gateway id"
        case .rrn: "Transactions with this retrieval reference"
        case .invoice: "Transactions with this invoice"
        case .authCode: "Transactions with this authorization code"
        case .reference: "Transactions with this reference of an app"
        case .transactionsBatch: "Transactions in a batch with this number"
        case .lastFour: "Transactions with these last four digits of the card"
        }
    }
}
