import Access
import Canonical
import Composition
import EventLog
import HTTPEdge
import Operations
import Payments
import Projections

extension WebConsole {
    func addBatches(to router: inout EdgeRouter<Principal>) {
        addPage(.batches, needs: [.read], to: &router) { try await batches($0) }
        addPage(.batch, needs: [.read], to: &router) { try await batch($0) }
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
        let found = try await ledger.payments.batches.batches(
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
                    Cell(batch.reference.shownNumber ?? "no number", href: Address.batch(batch.id.description)),
                    .badge(Wording.sentence(batch.status.rawValue), Self.tone(batch.status)),
                    Cell(Wording.vendor(batch.reference.vendor.rawValue)), Cell(batch.reference.account),
                    .count(batch.totals.reduce(0) { $0 + $1.count }),
                    .count(batch.totals.reduce(0) { $0 + $1.voidedCount }),
                    .number(batch.nets.map(\.description).joined(separator: ", ")),
                    .time(batch.openedAt, in: visit.zone), .time(batch.closedAt, in: visit.zone),
                ]
            },
            whenEmpty: "No batches found. If you set filters, change them."
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

    private func batch(_ visit: Visit) async throws -> PageAnswer {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        let query = FormQuery(visit)
        let path = Address.batch(id.description)
        guard query.isPlain else { return .redirect(query.address(path)) }
        var reader = try query.reader()
        let after = try Cursor(&reader)
        let moment = try Moment(&reader)
        try reader.finish()
        let position = try await position(of: moment, in: "batches", goingOnAt: after)
        guard let batch = try await batch(id, of: visit.tenant, at: position) else { throw Problem.notFound }
        let members = try await ledger.page(
            Lists.members.request(id, at: position.map(Moment.position)),
            of: visit.tenant,
            after: after,
            limit: ConsoleView.batch.pageSize
        )
        let changes = try await position == nil ? changes(of: batch, visit.tenant) : nil
        let past = moment.flatMap { moment in position.map { (moment: moment, position: $0) } }
        let item = BatchJSON(batch)
        var facts = Facts()
        facts.add("Vendor", Wording.vendor(batch.reference.vendor.rawValue))
        facts.add("Account", batch.reference.account)
        facts.add("Opened", .time(batch.openedAt, in: visit.zone))
        facts.add("Closed", .time(batch.closedAt, in: visit.zone))
        facts.add("Closed, local time", item.closedLocalTime?.description)
        if batch.closing != nil {
            facts.add(
                "Closed by",
                batch.isRequested ? "a request of the app" : "the device or the host, without a request"
            )
        }
        facts.add("Reported by", item.evidence.map { Wording.sentence($0.rawValue) })
        facts.add("Settlement", item.settlement)
        facts.add("The host's code", .code(item.response?.code))
        facts.add("The host's message", item.response?.message)
        for net in batch.nets { facts.add("Net of the ledger", .number(net.description)) }
        facts.add("Net of the host", .money(item.host?.net))
        facts.add("Difference", .money(item.difference))
        var page = Page(
            "batch",
            "Batch \(batch.reference.shownNumber ?? "without a number")",
            [
                "id": .text(id.description),
                "status": Cell.badge(Wording.sentence(batch.status.rawValue), Self.tone(batch.status)).value,
                "facts": facts.value, "disagrees": .given(item.difference.map { !$0.isZero } ?? false),
                "difference": .given(item.difference?.description),
                "isForward": true, "totals": totals(batch).value,
                "members": self.members(try members.items(as: BatchMemberJSON.self)).value,
                "asOf": PastForm(action: path, shown: past).value(query, visit.zone),
                "changes": changes.map { self.changes($0).value }, "moreChanges": .given(changes?.next != nil),
                "next": members.next.map { .text(query.address(path, ["cursor": $0.text])) },
                "first": after.map { _ in .text(query.address(path, ["cursor": nil])) },
            ]
        )
        page.place = visit.place
        if let position {
            page.place?["as_of"] = nil
            page.place?["as_of_position"] = "\(position)"
        }
        if changes != nil { page.place?["changes"] = "true" }
        return .page(page)
    }

    private func batch(_ id: UUID128, of tenant: String, at position: Int64?) async throws -> BatchView? {
        guard let position else { return try await ledger.payments.batches.batch(id, of: tenant) }
        return try await ledger.payments.pastBatches.batch(id, of: tenant, at: position)
    }

    /// The changes since the batch was closed; nil for an open batch.
    private func changes(of batch: BatchView, _ tenant: String) async throws -> ChangePageJSON? {
        guard try await ledger.payments.closingPosition(of: batch, tenant: tenant) != nil else { return nil }
        let wanted = Lists.changes.request(ChangesFilter(batch: batch.id))
        return try await ledger.page(wanted, of: tenant, limit: ConsoleView.changesLimit).read(as: ChangePageJSON.self)
    }

    func changes(_ page: ChangePageJSON) -> Table {
        Table(
            caption: "Lines that changed since the close at position \(page.fromPosition)",
            columns: ["Transaction", "Line", "Before#", "Voided before#", "Now#", "Voided now#"],
            rows: page.items.map { change in
                let id = change.transaction.description
                let figures = [change.before, change.after].flatMap { [Cell.money($0?.amount), .money($0?.voided)] }
                return [.code(id, href: Address.transaction(id)), Cell(change.line)] + figures
            },
            whenEmpty: "Nothing has changed."
        )
    }

    private func totals(_ batch: BatchView) -> Table {
        Table(
            caption: "Totals by type, brand, tender and currency; voided amounts are listed and not counted",
            columns: ["Type", "Brand", "Tender", "Lines#", "Amount#", "Tips included#", "Voided lines#", "Voided#"],
            rows: batch.totals.map { total in
                [
                    Cell(Wording.sentence(total.type)), Cell(total.brand), Cell(total.tender), .count(total.count),
                    .number(Money(total.amount, total.currency).description),
                    .number(Money(total.tips, total.currency).description), .count(total.voidedCount),
                    .number(Money(total.voided, total.currency).description),
                ]
            },
            whenEmpty: "The batch has no lines yet."
        )
    }

    private func members(_ lines: [BatchMemberJSON]) -> Table {
        Table(
            caption: "Lines of the batch",
            columns: ["Transaction", "Type", "Brand", "Amount#", "Tip#", "Voided#"],
            rows: lines.map { line in
                [
                    .code(line.transaction.description, href: Address.transaction(line.transaction.description)),
                    Cell(Wording.sentence(line.type)), Cell(line.brand), .money(line.amount), .money(line.tip),
                    .money(line.voided),
                ]
            },
            whenEmpty: "The batch has no lines yet."
        )
    }
}
