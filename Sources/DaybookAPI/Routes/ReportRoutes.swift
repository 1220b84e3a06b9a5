import Access
import Canonical
package import HTTPEdge
import HTTPTypes
package import Ledger
import Payments
package import Projections
package import Tables

extension API {
    private static let reportTypes = ["application/json", "text/csv", "text/html"]

    func addReports(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/reconciliation-report", .init(offering: Self.reportTypes, streaming: [])) {
            try await report($0)
        }
    }

    /// How every cent is explained.
    private func report(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        var query = request.query
        let scope = try ReportScope(&query)
        let table = try AskedTable(&query, of: .report)
        try await waitForMinimum(&query, in: "reconciliation", "movements", "statements")
        try query.finish()
        let answer = try await ledger.report(of: principal.tenant, scope)
        var response: EdgeResponse
        switch try request.negotiate(Self.reportTypes) {
        case "text/html":
            response = .text(
                ReportPage.render(answer.report, scope, now: answer.now),
                type: "text/html; charset=utf-8"
            )
            response.fields[.contentSecurityPolicy] = ReportPage.contentSecurityPolicy
        case "text/csv":
            let bytes = answer.csv(table.dialect, columns: table.chosen)
            response = .bytes(bytes, type: "text/csv; charset=utf-8; header=present")
            response.fields[.contentDisposition] = "attachment; filename=\"reconciliation-report.csv\""
        default: response = .json(answer.json)
        }
        response.fields[.vary] = "Accept"
        return response
    }
}

extension ReportAnswer {
    /// As CSV, a row for each figure.
    package func csv(_ dialect: CSVDialect, columns table: Table = .report) -> [UInt8] {
        var bytes = dialect.beginning + dialect.line(table.head)
        for row in rows { dialect.append(table.row(of: row), to: &bytes) }
        return bytes
    }
}

extension ReportScope {
    /// Reads `from`, `to` and `merchant`.
    package init(_ query: inout QueryReader) throws(Problem) {
        self.init()
        from = try query.value("from", expected: "is a day, as 2026-03-01") { CivilDate($0) }
        to = try query.value("to", expected: "is a day, as 2026-03-01") { CivilDate($0) }
        merchant = try query.text("merchant")
    }
}

extension Ledger {
    /// How every cent that a scope is about is explained now.
    package func report(of tenant: String, _ scope: ReportScope) async throws -> ReportAnswer {
        let now = clock.now()
        return ReportAnswer(
            scope: scope,
            report: try await reconciliationQuery.report(of: tenant, scope, now: now),
            now: now
        )
    }
}
