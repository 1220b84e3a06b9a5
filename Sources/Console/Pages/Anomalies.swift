import Access
import Canonical
import DaybookAPI
import HTTPEdge
import Ledger
import Projections

extension Console {
    private static let pageSize = 50

    func addAnomalies(to router: inout EdgeRouter<Principal>) {
        addPage("/console/anomalies", needs: [.read], to: &router) { .page(try await anomalies($0)) }
    }

    /// Payments whose facts contradict each other.
    private func anomalies(_ visit: Visit) async throws -> Page {
        let query = FormQuery(visit)
        var reader = try query.reader()
        let cursor = try Cursor(&reader)
        try reader.finish()
        var filter = TransactionFilter()
        filter.isAnomalous = true
        let found = try await ledger.transactions.transactions(
            of: visit.tenant,
            matching: filter,
            before: cursor?.position ?? .max,
            limit: Self.pageSize + 1
        )
        let items = try found.prefix(Self.pageSize).map { try JSONValue(parsing: $0.json.utf8) }
        let path = "\(Address.root)/anomalies"
        let last = found.prefix(Self.pageSize).last
        let next = found.count > Self.pageSize ? last.map { Cursor(position: $0.firstPosition).text } : nil
        let rows = items.flatMap { item -> [[Cell]] in
            (item["anomalies"]?.array ?? []).map { anomaly in
                [
                    .time(item["occurredAt"], in: visit.zone, href: Address.transaction(item["id"]?.string ?? "")),
                    Cell(anomaly["kind"]?.string.map(Wording.sentence)), Cell(anomaly["explanation"]?.string),
                    .status(item["status"]?.string), .money(Self.headline(item)),
                    Cell(item["merchant"]?.string),
                ]
            }
        }
        let table = Table(
            caption: "Anomalies of payments, newest payment first",
            columns: ["Payment began", "Anomaly", "What does not fit", "Status", "Amount#", "Merchant"],
            rows: rows,
            whenEmpty: "No payment contradicts itself."
        )
        return Page(
            "anomalies",
            "Anomalies",
            [
                "table": table.value, "next": next.map { .text(query.address(path, ["cursor": $0])) },
                "first": cursor.map { _ in .text(query.address(path, ["cursor": nil])) },
            ]
        )
    }
}
