import Access
import Canonical
import Composition
import EventLog
import HTTPEdge
import HTTPTypes
import Operations
import Payments
import Projections
import Reconciliation
import Tables

extension API {
    private static let reportTypes = ["application/json", "text/csv", "text/html"]

    func addReports(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/reconciliation-report", .init(offering: Self.reportTypes, streaming: [])) {
            try await report($0)
        }
    }

    /// The reconciliation report.
    private func report(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        var query = request.query
        let scope = try ReportScope(&query)
        let moment = try Moment(&query)
        let table = try TableRequest(&query, of: ReportAnswer.table)
        let deadline = self.deadline
        try await waitForWrites(&query, in: Ledger.reportModels, isAboutOne: false, until: deadline)
        try query.finish()
        let answer = try await ledger.report(of: principal.tenant, scope, at: moment, until: deadline)
        var response: EdgeResponse
        switch try request.negotiate(Self.reportTypes) {
        case "text/html":
            response = .text(
                ReportPage.render(answer.report, scope, now: answer.now, isPast: answer.isPast),
                type: "text/html; charset=utf-8"
            )
            response.fields[.contentSecurityPolicy] = ReportPage.contentSecurityPolicy
        case "text/csv":
            let bytes = try answer.csv(table.dialect, columns: table.chosen)
            response = .bytes(bytes, type: "text/csv; charset=utf-8; header=present")
            response.fields[.contentDisposition] = "attachment; filename=\"reconciliation-report.csv\""
        default: response = try .document(ReportJSON(answer))
        }
        response.fields[.vary] = "Accept"
        return response
    }
}
