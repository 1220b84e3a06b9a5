import Access
import Canonical
import Composition
import HTTPEdge
import Operations
import Payments
import Projections

extension WebConsole {
    func addReaders(to router: inout EdgeRouter<Principal>) {
        addPage(.readers, needs: [.read], to: &router) { try await readers($0) }
        addPage(.reader, needs: [.read], to: &router) { .page(try await reader($0)) }
        addFile("\(ConsoleView.reader.rawValue)/bundle", needs: [.read], to: &router) { try await bundle($0) }
        addPage(.readerRates, needs: [.read], to: &router) { try await rates($0) }
    }

    private static let filters = FilterForm(
        action: "\(Address.root)/readers",
        fields: [
            FilterField(
                "vendor",
                "Vendor",
                .choice(Vendor.allCases.map { ($0.rawValue, Wording.vendor($0.rawValue)) })
            ),
            FilterField("busy", "Busy with a payment", .check), FilterField("update_due", "Update due", .check),
            FilterField("mandatory_update_due", "Mandatory update due", .check),
            FilterField("has_errors", "Errors", .check), FilterField("holds_result", "Holds a result", .check),
            FilterField("charging", "Charging", .check), FilterField("error", "Kind of error"),
            FilterField("unlike_fleet", "Another version than most", .check),
            FilterField("battery_below", "Battery below, %", .digits),
            FilterField("not_seen_since", "Not seen since", .time),
        ]
    )

    private func readers(_ visit: Visit) async throws -> PageAnswer {
        let query = FormQuery(visit)
        let path = "\(Address.root)/readers"
        guard query.isPlain else { return .redirect(query.address(path)) }
        var reader = try query.reader()
        let limit = try reader.limit(default: ConsoleView.readers.pageSize)
        let cursor = try Cursor(&reader)
        let filter = try ReaderFilter(&reader)
        try reader.finish()
        let found = try await ledger.payments.readers.readers(
            of: visit.tenant,
            matching: filter,
            after: try cursor?.reader(),
            limit: limit + 1
        )
        let items = Array(found.prefix(limit))
        let next = found.count > limit ? items.last.map { Cursor($0).text } : nil
        return .page(
            Page(
                "readers",
                "Readers",
                [
                    "filters": Self.filters.value(query, visit.zone),
                    "table": readerTable(items, "Readers and terminals", visit).value,
                    "next": next.map { .text(query.address(path, ["cursor": $0])) },
                    "first": cursor.map { _ in .text(query.address(path, ["cursor": nil])) },
                ]
            )
        )
    }

    func readerTable(_ readers: [ReaderView], _ caption: String, _ visit: Visit) -> Table {
        Table(
            caption: caption,
            columns: [
                "Serial", "Vendor", "Model", "Connected", "Battery#", "Payments#", "Errors#", "Update", "Last seen",
            ],
            rows: readers.map { view in
                [
                    Cell(view.reader.serial, href: Address.reader(view.reader.vendor.rawValue, view.reader.serial)),
                    Cell(Wording.vendor(view.reader.vendor.rawValue)), Cell(view.model),
                    Cell(view.isConnected.map { $0 ? "yes" : "no" }), .number(view.battery.map { "\($0) %" }),
                    .count(Int64(view.payments)), .count(Int64(view.faults.reduce(0) { $0 + $1.count })),
                    Self.updateDue(view), .time(view.lastSeen, in: visit.zone),
                ]
            },
            whenEmpty: "No readers found. If you set filters, change them."
        )
    }

    private static func updateDue(_ view: ReaderView) -> Cell {
        if view.isMandatoryUpdateDue { return .badge("mandatory", .caution) }
        return view.isUpdateDue ? .badge("due", .caution) : Cell(nil)
    }

    private func reference(_ visit: Visit) throws -> ReaderReference {
        guard let vendor = Vendor(rawValue: try visit.request.parameter("vendor")) else { throw Problem.notFound }
        return ReaderReference(vendor: vendor, serial: try visit.request.parameter("serial"))
    }

    /// What the vendor's support needs of the reader, as a file.
    private func bundle(_ visit: Visit) async throws -> EdgeResponse {
        let reference = try reference(visit)
        var query = try FormQuery(visit).reader()
        let from = try query.time("from")
        let to = try query.time("to")
        try query.finish()
        guard let found = try await ledger.readerBundle(of: reference, tenant: visit.tenant, from: from, to: to) else {
            throw Problem.notFound
        }
        return try .attachment(found.lines(), type: "application/x-ndjson", name: found.fileName)
    }

    private func reader(_ visit: Visit) async throws -> Page {
        let reference = try reference(visit)
        let vendor = reference.vendor
        try visit.query.finish()
        guard let view = try await ledger.payments.readers.reader(reference, of: visit.tenant) else {
            throw Problem.notFound
        }
        var facts = Facts()
        facts.add("Vendor", Wording.vendor(vendor.rawValue))
        for name in view.names { facts.add("Other \(name.name)", .code(name.value)) }
        facts.add("Model", view.model)
        facts.add("Connected", view.isConnected.map { $0 ? "yes" : "no" })
        facts.add("Battery", view.battery.map { "\($0) %" + (view.isCharging == true ? ", charging" : "") })
        if let state = view.state {
            let words = [Wording.sentence(state.event), state.response.code, state.response.message]
            facts.add("Last report", words.compactMap(\.self).joined(separator: ", "))
        }
        if view.holdsResult == true {
            facts.add("Result", "of a payment is held, and not fetched by the app")
            facts.add("What to do", ReaderJSON(view).resultRemedy)
        }
        if let payment = view.payment {
            facts.add("Busy with", .code(payment.transaction, href: Address.transaction(payment.transaction)))
        }
        facts.add("Payments", "\(view.payments)")
        facts.add("First seen", .time(view.firstSeen, in: visit.zone))
        facts.add("Last seen", .time(view.lastSeen, in: visit.zone))
        for version in view.versions { facts.add("Version of \(version.name)", .code(version.value)) }
        let stream = Address.path("\(Address.root)/events", [("stream", StreamName.reader(reference))])
        return Page(
            "reader",
            "Reader \(view.reader.serial)",
            [
                "facts": facts.value, "errors": errors(view, visit).value, "updates": updates(view, visit).value,
                "feed": .text(stream),
                "bundle": .text("\(Address.reader(vendor.rawValue, view.reader.serial))/bundle"),
                "doubts": .text(
                    Address.path(
                        ConsoleView.doubts.rawValue,
                        [("vendor", vendor.rawValue), ("reader", view.reader.serial)]
                    )
                ),
            ]
        )
    }

    private func errors(_ view: ReaderView, _ visit: Visit) -> Table {
        Table(
            caption: "Errors",
            columns: ["Error", "Message", "What to do", "Count#", "Last", "Event"],
            rows: ReaderJSON(view).errors.map { fault in
                [
                    .code(fault.kind), Cell(fault.message),
                    Cell(fault.remedy), .count(Int64(fault.count)),
                    .time(fault.lastAt, in: visit.zone),
                    Cell("\(fault.lastPosition)", href: Address.event(fault.lastPosition)),
                ]
            },
            whenEmpty: "No errors were reported."
        )
    }

    private func updates(_ view: ReaderView, _ visit: Visit) -> Table {
        Table(
            caption: "Updates",
            columns: ["Update", "Status", "Mandatory", "When", "Event"],
            rows: view.updates.map { update in
                [
                    Cell(update.name), Cell(Wording.sentence(update.status.rawValue)),
                    Cell(update.isMandatory.map { $0 ? "yes" : "no" }), .time(update.at, in: visit.zone),
                    Cell("\(update.position)", href: Address.event(update.position)),
                ]
            },
            whenEmpty: "No updates were reported."
        )
    }
}
