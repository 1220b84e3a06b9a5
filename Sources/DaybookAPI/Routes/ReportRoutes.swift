import Access
import Canonical
import EventLog
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
        let moment = try Moment(&query)
        let table = try TableRequest(&query, of: .report)
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
    /// The read models that a report is made from.
    static let reportModels = ["reconciliation", "statements", "batches", "transactions"]
    /// How long a report of now waits for the slowest of them.
    private static let reportWaitLimit = Duration.seconds(1)

    /// How every cent that a scope is about was explained at a moment.
    ///
    /// - Parameters:
    ///   - moment: Now if left out: then all read models are read where the slowest of them is, a second at most behind the
    ///     fastest while all of them go on. Ages are counted to it: of a position, to when its event was recorded.
    ///   - deadline: How long to wait for the read models to contain it.
    /// - Throws: `Problem` with `projection-behind`; what reading throws.
    package func report(
        of tenant: String,
        _ scope: ReportScope,
        at moment: Moment? = nil,
        until deadline: ContinuousClock.Instant
    ) async throws -> ReportAnswer {
        let now = clock.now()
        var (position, time) = (Int64(0), now)
        if let moment {
            position = try await self.position(of: moment)
            for name in Self.reportModels {
                let rest = max(.zero, ContinuousClock.now.duration(to: deadline))
                guard try await readModels.wait(for: name, toReach: position, timeout: rest) else {
                    throw Problem.projectionBehind()
                }
            }
            time = try await self.time(of: moment, at: position) ?? now
        } else {
            position = try await presentPosition(until: deadline)
        }
        let days = try await days(.init(), merchant: scope.merchant, of: tenant, at: position)
        return ReportAnswer(
            scope: scope,
            report: try await reconciliationQuery.report(of: tenant, scope, at: position, by: days, now: time),
            now: now,
            isPast: moment != nil
        )
    }

    /// How far all read models of a report have come.
    private func presentPosition(until deadline: ContinuousClock.Instant) async throws -> Int64 {
        func found() async throws -> [ReadModels.Progress] {
            try await readModels.positions().filter { Self.reportModels.contains($0.name) }
        }
        let progress = try await found()
        let furthest = progress.map(\.position).max() ?? 0
        guard progress.contains(where: { $0.position < furthest }), progress.allSatisfy({ $0.fault == nil }) else {
            return progress.map(\.position).min() ?? 0
        }
        let end = min(deadline, ContinuousClock.now.advanced(by: Self.reportWaitLimit))
        for one in progress where one.position < furthest {
            let rest = max(.zero, ContinuousClock.now.duration(to: end))
            _ = try await readModels.wait(for: one.name, toReach: furthest, timeout: rest)
        }
        return try await found().map(\.position).min() ?? 0
    }

    /// When a moment was; nil for a position before the first event.
    private func time(of moment: Moment, at position: Int64) async throws -> Timestamp? {
        if case .time(let time) = moment { return time }
        guard position > 0 else { return nil }
        return try await reader.events(after: position - 1, limit: 1).first?.recordedAt
    }
}
