import Access
import Canonical
import DaybookAPI
import HTTPEdge
import Ledger
import Payments
import Projections

extension Console {
    private static let pageSize = 50
    private static let memberSize = 200

    func addBatches(to router: inout EdgeRouter<Principal>) {
        addPage("/console/batches", needs: [.read], to: &router) { try await batches($0) }
        addPage("/console/batches/{id}", needs: [.read], to: &router) { .page(try await batch($0)) }
    }

    private static let filters = FilterForm(
        action: "\(Address.root)/batches",
        fields: [
            FilterField(
                "status",
                "Status",
                .choice(BatchState.Status.allCases.map { ($0.rawValue, Wording.sentence($0.rawValue)) })
            ),
            FilterField(
                "vendor",
                "Vendor",
                .choice(Vendor.allCases.map { ($0.rawValue, Wording.vendor($0.rawValue)) })
            ),
            FilterField("number", "Number"),
        ]
    )

    private func batches(_ visit: Visit) async throws -> PageAnswer {
        let query = FormQuery(visit)
        let path = "\(Address.root)/batches"
        guard query.isPlain else { return .redirect(query.address(path)) }
        var reader = try query.reader()
        let limit = try reader.limit(default: Self.pageSize)
        let cursor = try Cursor(&reader)
        let status = try reader.value("status", BatchState.Status.init(rawValue:))
        let vendor = try reader.value("vendor", Vendor.init(rawValue:))
        let number = try reader.text("number")
        try reader.finish()
        let found = try await ledger.batches.batches(
            of: visit.tenant,
            status: status,
            vendor: vendor,
            number: number,
            before: cursor?.position ?? .max,
            limit: limit + 1
        )
        let items = Array(found.prefix(limit))
        let next = found.count > limit ? items.last.map { Cursor(position: $0.firstPosition).text } : nil
        return .page(
            Page(
                "batches",
                "Batches",
                [
                    "filters": Self.filters.value(query, visit.zone),
                    "table": batchTable(items, "Batches, newest first", visit).value,
                    "next": next.map { .text(query.address(path, ["cursor": $0])) },
                    "first": cursor.map { _ in .text(query.address(path, ["cursor": nil])) },
                ]
            )
        )
    }

    func batchTable(_ batches: [BatchView], _ caption: String, _ visit: Visit) -> Table {
        Table(
            caption: caption,
            columns: ["Batch", "Status", "Vendor", "Account", "Lines#", "Voided#", "Net#", "Opened", "Closed"],
            rows: batches.map { batch in
                [
                    Cell(batch.reference.number ?? "no number", href: Address.batch(batch.id.description)),
                    .badge(Wording.sentence(batch.status.rawValue), Self.tone(batch.status)),
                    Cell(Wording.vendor(batch.reference.vendor.rawValue)), Cell(batch.reference.account),
                    .count(batch.totals.reduce(0) { $0 + $1.count }),
                    .count(batch.totals.reduce(0) { $0 + $1.voidedCount }),
                    .number(batch.nets.map(\.description).joined(separator: ", ")),
                    .time(batch.openedAt, in: visit.zone), .time(batch.closedAt, in: visit.zone),
                ]
            },
            whenEmpty: "There is no such batch."
        )
    }

    private static func tone(_ status: BatchState.Status) -> Cell.Tone {
        switch status {
        case .closed: .good
        case .open: .plain
        case .closing: .caution
        case .failed, .outOfBalance: .bad
        }
    }

    private func batch(_ visit: Visit) async throws -> Page {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        var reader = visit.query
        let after = try reader.cursor()
        try reader.finish()
        guard let batch = try await ledger.batches.batch(id, of: visit.tenant) else { throw Problem.notFound }
        let last = try after.map { text throws(Problem) in try Self.line(text) }
        let found = try await ledger.batches.lines(
            of: id,
            tenant: visit.tenant,
            after: last,
            limit: Self.memberSize + 1
        )
        let lines = found.prefix(Self.memberSize)
        let path = Address.batch(id.description)
        let next = found.count > Self.memberSize ? lines.last.map { "\($0.transaction)~\($0.line)" } : nil
        let json = try batch.json()
        var facts = Facts()
        facts.add("Vendor", Wording.vendor(batch.reference.vendor.rawValue))
        facts.add("Account", batch.reference.account)
        facts.add("Opened", .time(batch.openedAt, in: visit.zone))
        facts.add("Closed", .time(batch.closedAt, in: visit.zone))
        facts.add("Settlement", json["settlement"]?.string)
        facts.add("The host's code", .code(json["response"]?["code"]?.string))
        facts.add("The host's message", json["response"]?["message"]?.string)
        for net in batch.nets { facts.add("Net of the ledger", .number(net.description)) }
        facts.add("Net of the host", .money(json["host"]?["net"]))
        facts.add("Difference", .money(json["difference"]))
        let difference = json["difference"]?["value"]?.int64
        return Page(
            "batch",
            "Batch \(batch.reference.number ?? "without a number")",
            [
                "id": .text(id.description),
                "status": Cell.badge(Wording.sentence(batch.status.rawValue), Self.tone(batch.status)).value,
                "facts": facts.value, "disagrees": .given(difference.map { $0 != 0 } ?? false),
                "difference": .given(Wording.money(json["difference"])),
                "totals": totals(batch).value, "members": members(Array(lines)).value,
                "next": next.map { .text(Address.path(path, [("cursor", $0)])) },
                "first": after.map { _ in .text(path) },
            ]
        )
    }

    private func totals(_ batch: BatchView) -> Table {
        Table(
            caption: "Totals by type, brand, tender and currency; what was voided is listed and not counted",
            columns: ["Type", "Brand", "Tender", "Lines#", "Amount#", "Tips in it#", "Voided lines#", "Voided#"],
            rows: batch.totals.map { total in
                [
                    Cell(Wording.sentence(total.type)), Cell(total.brand), Cell(total.tender), .count(total.count),
                    .number(Money(total.amount, total.currency).description),
                    .number(Money(total.tips, total.currency).description), .count(total.voidedCount),
                    .number(Money(total.voided, total.currency).description),
                ]
            },
            whenEmpty: "Nothing is in this batch yet."
        )
    }

    private func members(_ lines: [BatchLine]) -> Table {
        Table(
            caption: "What is in the batch",
            columns: ["Transaction", "Type", "Brand", "Amount#", "Tip#", "Voided#"],
            rows: lines.map { line in
                [
                    .code(line.transaction.description, href: Address.transaction(line.transaction.description)),
                    Cell(Wording.sentence(line.type)), Cell(line.brand), .number(line.amount.description),
                    .number(Money(line.tip, line.amount.currency).description),
                    .number(Money(line.voided, line.amount.currency).description),
                ]
            },
            whenEmpty: "Nothing is in this batch yet."
        )
    }

    private static func line(_ text: String) throws(Problem) -> (transaction: UUID128, line: String) {
        let parts = text.split(separator: "~", maxSplits: 1)
        guard parts.count == 2, let id = UUID128(String(parts[0])) else { throw QueryReader.invalid("cursor") }
        return (id, String(parts[1]))
    }
}
