import Access
import Canonical
import Composition
import HTTPEdge
import Operations
import Payments
import Projections

extension WebConsole {
    func addCheckouts(to router: inout EdgeRouter<Principal>) {
        addPage(.checkouts, needs: [.read], to: &router) { try await checkouts($0) }
        addPage(.checkout, needs: [.read], to: &router) { .page(try await checkout($0)) }
    }

    private static let filters = FilterForm(
        action: "\(Address.root)/checkouts",
        fields: [
            FilterField(
                "status",
                "Status",
                .choice(CheckoutView.Status.allCases.map { ($0.rawValue, Wording.sentence($0.rawValue)) })
            ),
            FilterField(
                "vendor",
                "Vendor",
                .choice(Vendor.allCases.map { ($0.rawValue, Wording.vendor($0.rawValue)) })
            ), FilterField("transaction", "Payment", hint: "its id"),
        ]
    )

    /// Wallet checkouts by their first report, newest first.
    private func checkouts(_ visit: Visit) async throws -> PageAnswer {
        try await listPage(Lists.checkouts, .checkouts, "checkouts", "Checkouts", visit, filters: Self.filters) {
            (items: [CheckoutJSON]) in
            checkoutTable(items, "Wallet checkouts, newest first", visit)
        }
    }

    func checkoutTable(_ checkouts: [CheckoutJSON], _ caption: String, _ visit: Visit) -> Table {
        Table(
            caption: caption,
            columns: [
                "First reported", "Status", "Vendor", "Due#", "Last report", "Payments#", "Refused#", "Checkout",
            ],
            rows: checkouts.map { item in
                [
                    .time(item.firstSeen, in: visit.zone, href: Address.checkout(item.id)),
                    Self.badge(item.status), Cell(Wording.vendor(item.vendor.rawValue)), .money(item.amounts?.total),
                    Cell((item.state?.event).map(Wording.sentence)), .count(Int64(item.transactions.count)),
                    .count(Int64(item.failures)), .code(item.id),
                ]
            },
            whenEmpty: "No checkouts found. If you set filters, change them."
        )
    }

    private static func badge(_ status: CheckoutView.Status) -> Cell {
        let tone: Cell.Tone =
            switch status {
            case .completed: .good
            case .cancelled, .expired: .caution
            case .blocked: .bad
            case .open, .released: .plain
            }
        return .badge(Wording.sentence(status.rawValue), tone)
    }

    private func checkout(_ visit: Visit) async throws -> Page {
        let id = try visit.request.parameter("id")
        try visit.query.finish()
        guard let found = try await ledger.payments.checkouts.checkout(id, of: visit.tenant) else {
            throw Problem.notFound
        }
        let item = CheckoutJSON(found)
        let stream = StreamName.checkout(CheckoutReference(vendor: found.vendor, digest: found.id))
        var facts = Facts()
        facts.add("Vendor", Wording.vendor(item.vendor.rawValue))
        if let state = item.state {
            let words = [Wording.sentence(state.event), state.response.code, state.response.message]
            facts.add("Last report", words.compactMap(\.self).joined(separator: ", "))
            facts.add("Last report at", .time(state.at, in: visit.zone))
        }
        facts.add("First reported", .time(item.firstSeen, in: visit.zone))
        facts.add("Last reported", .time(item.lastSeen, in: visit.zone))
        facts.add("Events", .count(Int64(item.events)))
        facts.add("Refused", .count(Int64(item.failures)))
        facts.add("First event", .count(item.firstPosition, href: Address.event(item.firstPosition)))
        facts.add("Last event", .count(item.lastPosition, href: Address.event(item.lastPosition)))
        var due = Facts()
        due.add("Total", .money(item.amounts?.total))
        due.add("Base", .money(item.amounts?.base))
        due.add("Tip", .money(item.amounts?.tip))
        due.add("Tax", .money(item.amounts?.tax))
        due.add("Fee", .money(item.amounts?.fee))
        due.add("Cash back", .money(item.amounts?.cashback))
        let payments = Table(
            caption: "Payments of the checkout",
            columns: ["Payment"],
            rows: item.transactions.map { [.code($0, href: Address.transaction($0))] },
            whenEmpty: "No payment refers to this checkout."
        )
        let details = Table(
            caption: "Offers, tenders and other reported details",
            columns: ["Name", "Value"],
            rows: item.details.map { [Cell(Wording.sentence($0.name)), Cell($0.value)] },
            whenEmpty: "No other details were reported."
        )
        return Page(
            "checkout",
            "Checkout",
            [
                "id": .text(id), "status": Self.badge(item.status).value,
                "facts": facts.value, "due": due.value, "payments": payments.value, "details": details.value,
                "feed": .text(Address.path("\(Address.root)/events", [("stream", stream)])),
            ]
        )
    }
}
