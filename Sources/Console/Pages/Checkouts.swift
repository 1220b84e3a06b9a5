import Access
import Canonical
import HTTPEdge
import Ledger
import Operations
import Payments
import Projections

extension Console {
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
        try await listPage("checkouts", .checkouts, "checkouts", "Checkouts", visit, filters: Self.filters) { items in
            checkoutTable(items, "Wallet checkouts, newest first", visit)
        }
    }

    /// - Parameter checkouts: As the API returns them.
    func checkoutTable(_ checkouts: [JSONValue], _ caption: String, _ visit: Visit) -> Table {
        Table(
            caption: caption,
            columns: [
                "First reported", "Status", "Vendor", "Due#", "Last report", "Payments#", "Refused#", "Checkout",
            ],
            rows: checkouts.map { item in
                let id = item["id"]?.string ?? ""
                return [
                    .time(item["firstSeen"], in: visit.zone, href: Address.checkout(id)),
                    Self.status(ofCheckout: item["status"]?.string),
                    Cell(item["vendor"]?.string.map(Wording.vendor)), .money(item["amounts"]?["total"]),
                    Cell(item["state"]?["event"]?.string.map(Wording.sentence)),
                    .count(Int64(item["transactions"]?.array?.count ?? 0)), .number(item["failures"]?.text),
                    .code(id),
                ]
            },
            whenEmpty: "No checkouts found. If you set filters, change them."
        )
    }

    private static func status(ofCheckout name: String?) -> Cell {
        guard let name else { return Cell(nil) }
        let tone: Cell.Tone =
            switch CheckoutView.Status(rawValue: name) {
            case .completed: .good
            case .cancelled, .expired: .caution
            case .blocked: .bad
            case .open, .released, nil: .plain
            }
        return .badge(Wording.sentence(name), tone)
    }

    private func checkout(_ visit: Visit) async throws -> Page {
        let id = try visit.request.parameter("id")
        try visit.query.finish()
        guard let found = try await ledger.checkouts.checkout(id, of: visit.tenant) else { throw Problem.notFound }
        let item = found.json
        let stream = StreamName.checkout(CheckoutReference(vendor: found.vendor, digest: found.id))
        var facts = Facts()
        facts.add("Vendor", item["vendor"]?.string.map(Wording.vendor))
        if let state = item["state"] {
            let words = [
                state["event"]?.string.map(Wording.sentence), state["response"]?["code"]?.string,
                state["response"]?["message"]?.string,
            ]
            facts.add("Last report", words.compactMap(\.self).joined(separator: ", "))
            facts.add("Last report at", .time(state["at"], in: visit.zone))
        }
        facts.add("First reported", .time(item["firstSeen"], in: visit.zone))
        facts.add("Last reported", .time(item["lastSeen"], in: visit.zone))
        facts.add("Events", .number(item["events"]?.text))
        facts.add("Refused", .number(item["failures"]?.text))
        for (name, label) in [("firstPosition", "First event"), ("lastPosition", "Last event")] {
            guard let position = item[name]?.int64 else { continue }
            facts.add(label, .number("\(position)", href: Address.event(position)))
        }
        var due = Facts()
        let parts = [
            ("total", "Total"), ("base", "Base"), ("tip", "Tip"), ("tax", "Tax"), ("fee", "Fee"),
            ("cashback", "Cash back"),
        ]
        for (name, label) in parts { due.add(label, .money(item["amounts"]?[name])) }
        let payments = Table(
            caption: "Payments of the checkout",
            columns: ["Payment"],
            rows: (item["transactions"]?.array ?? []).compactMap(\.string).map {
                [.code($0, href: Address.transaction($0))]
            },
            whenEmpty: "No payment refers to this checkout."
        )
        let details = Table(
            caption: "Offers, tenders and other reported details",
            columns: ["Name", "Value"],
            rows: (item["details"]?.array ?? []).map {
                [Cell($0["name"]?.string.map(Wording.sentence)), Cell($0["value"]?.string)]
            },
            whenEmpty: "No other details were reported."
        )
        return Page(
            "checkout",
            "Checkout",
            [
                "id": .text(id), "status": Self.status(ofCheckout: item["status"]?.string).value,
                "facts": facts.value, "due": due.value, "payments": payments.value, "details": details.value,
                "feed": .text(Address.path("\(Address.root)/events", [("stream", stream)])),
            ]
        )
    }
}
