import Access
import Canonical
import DaybookAPI
import HTTPEdge
import Ledger
import Payments
import Projections

extension Console {
    func addBatches(to router: inout EdgeRouter<Principal>) {
        addPage(.batches, needs: [.read], to: &router) { try await batches($0) }
        addPage(.batch, needs: [.read], to: &router) { .page(try await batch($0)) }
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
            FilterField("number", "Number"), FilterField("merchant", "Merchant"), FilterField("terminal", "Terminal"),
            FilterField("open", "Open only", .check),
        ]
    )

    private func batches(_ visit: Visit) async throws -> PageAnswer {
        let query = FormQuery(visit)
        let path = "\(Address.root)/batches"
        guard query.isPlain else { return .redirect(query.address(path)) }
        var reader = try query.reader()
        let limit = try reader.limit(default: ConsoleView.batches.pageSize)
        let cursor = try Cursor(&reader)
        let filter = try BatchFilter(&reader)
        try reader.finish()
        let found = try await ledger.batches.batches(
            of: visit.tenant,
            status: filter.status,
            vendor: filter.vendor,
            number: filter.number,
            merchant: filter.merchant,
            terminal: filter.terminal,
            isOpen: filter.isOpen,
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
        let after = try Cursor(&reader)
        try reader.finish()
        guard let batch = try await ledger.batches.batch(id, of: visit.tenant) else { throw Problem.notFound }
        let limit = ConsoleView.batch.pageSize
        let found = try await ledger.batches.lines(
            of: id,
            tenant: visit.tenant,
            after: try after?.line(),
            limit: limit + 1
        )
        let lines = found.prefix(limit)
        let path = Address.batch(id.description)
        let next = found.count > limit ? lines.last.map { Cursor(line: ($0.transaction, $0.line)).text } : nil
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
}
