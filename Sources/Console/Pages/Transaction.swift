import Canonical
import EventLog
import HTTPEdge
import Ledger
import Operations
import Payments
import Projections

extension Console {
    func transaction(_ visit: Visit) async throws -> PageAnswer {
        let visitor = visit
        var visit = visit
        let id = try transactionID(visit)
        guard let stored = try await ledger.transactions.transaction(id, of: visit.tenant) else {
            throw Problem.notFound
        }
        var item = try JSONValue(parsing: stored.json.utf8)
        if let merchant = item["merchant"]?.string {
            visit.adopt(try await ledger.merchants.merchant(merchant, of: visit.tenant))
        }
        let query = FormQuery(visit)
        // Times in the address and in forms use the current time zone, also if the page shows the past.
        let asking = visit
        let address = Address.transaction(stored.id.description)
        guard query.isPlain else { return .redirect(query.address(address)) }
        var reader = try query.reader()
        let moment = try Moment(&reader)
        try reader.finish()
        var events = try await ledger.reader.stream(
            StreamName.transaction(id),
            of: visit.tenant,
            from: 1,
            limit: ConsoleView.timelineLimit + 1
        )
        var receipt: Receipt?
        var past: (moment: Moment, position: Int64)?
        if let moment {
            guard let then = try await ledger.transaction(id, of: visit.tenant, at: moment) else {
                throw Problem.notBegun
            }
            item = try then.json()
            events = events.filter(moment.contains)
            receipt = try await ledger.receipt(of: then, tenant: visit.tenant, at: moment)
            past = (moment, try await ledger.position(of: moment))
            visit = visitor
            if let merchant = then.merchant {
                visit.adopt(try await ledger.merchant(merchant, of: visit.tenant, at: moment))
            }
        } else {
            receipt = try await ledger.receipts.receipt(of: id, tenant: visit.tenant)
        }
        let shown = Array(events.prefix(ConsoleView.timelineLimit))
        let chip = ChipReport(events: shown, card: item["card"])
        let feed = Address.path("\(Address.root)/events", [("stream", StreamName.transaction(id))])
        var page = Page(
            "transaction",
            "Transaction \(item["references"]?["invoice"]?.string.map { "with invoice \($0)" } ?? stored.id.description)",
            [
                "id": .text(stored.id.description), "status": Cell.status(item["status"]?.string).value,
                "amount": Wording.money(Self.headline(item)).map(PageValue.text),
                "asOf": PastForm(action: address, shown: past).value(query, asking.zone),
                "began": Cell.time(item["occurredAt"], in: visit.zone).value,
                "inDoubt": .given(item["inDoubt"]?.bool == true),
                "doubt": .text(Address.doubt(stored.id.description)),
                "summary": summary(item, shown, visit).value, "amounts": amounts(item).value,
                "sides": sides(item, visit).value, "card": card(item).value, "names": names(item).value,
                "anomalies": anomalies(item), "movements": movements(item).map(\.value),
                "timeline": Timeline(shown, in: visit.zone).value,
                "hasMore": .given(events.count > ConsoleView.timelineLimit), "feed": .text(feed), "chip": chip.value,
                "receipt": receipt.map { .text(ReceiptText.render($0, copy: .customer)) },
                "customerCopy": .text("\(Address.transaction(stored.id.description))/receipt?copy=customer"),
                "merchantCopy": .text("\(Address.transaction(stored.id.description))/receipt?copy=merchant"),
                "lastEvent": .text(Address.event(item["lastPosition"]?.int64 ?? stored.firstPosition)),
                "proof": .text("\(Address.event(item["lastPosition"]?.int64 ?? stored.firstPosition))/proof"),
                "history": .text(Address.history(stored.id.description)),
                "replays": .text(
                    Address.path(ConsoleView.replays.rawValue, [("transaction", stored.id.description)])
                ), "logKey": .text("\(Address.root)/log-key"), "lastPosition": "\(item["lastPosition"]?.int64 ?? 0)",
            ]
        )
        page.values["reconciled"] = try await reconciled(id, at: past?.position, visit)
        page.zoneNote = visit.zoneNote
        page.place = asking.place
        if let past { page.place?["up_to"] = "\(past.position)" }
        return .page(page)
    }

    /// The receipt as it is printed.
    func receiptText(_ visit: Visit) async throws -> EdgeResponse {
        let id = try transactionID(visit)
        var query = visit.query
        let copy = try query.choice("copy", of: ReceiptCopy.self) ?? .customer
        try query.finish()
        guard let receipt = try await ledger.receipts.receipt(of: id, tenant: visit.tenant) else {
            throw Problem.notFound
        }
        return .text(ReceiptText.render(receipt, copy: copy))
    }

    private func transactionID(_ visit: Visit) throws(Problem) -> UUID128 {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw .notFound }
        return id
    }

    // MARK: Sections

    private func summary(_ item: JSONValue, _ events: [RecordedEvent], _ visit: Visit) -> Facts {
        var facts = Facts()
        facts.add("Type", item["operation"]?.string.map(Wording.sentence))
        facts.add("Vendor", item["vendor"]?.string.map(Wording.vendor))
        facts.add("Merchant", item["merchant"]?.string, href: visit.merchant.map { Address.merchant($0.name) })
        facts.add("Terminal", item["terminal"]?.string)
        facts.add("Device", item["device"]?.string)
        if let vendor = item["cardReader"]?["vendor"]?.string, let serial = item["cardReader"]?["serial"]?.string {
            facts.add("Reader", serial, href: Address.reader(vendor, serial))
        }
        facts.add("Tender", item["tender"]?.string)
        let checkouts = Self.checkouts(events)
        for (number, checkout) in checkouts.enumerated() {
            let name = checkouts.count == 1 ? "its checkout" : "its checkout \(number + 1)"
            facts.add("Wallet", name, href: Address.checkout(checkout))
        }
        facts.add("Recorded", .time(item["recordedAt"], in: visit.zone))
        facts.add("Version", item["version"]?.int64.map { "\($0)" })
        return facts
    }

    /// The checkouts that events refer to, each once.
    private static func checkouts(_ events: [RecordedEvent]) -> [String] {
        var found: [String] = []
        for event in events where CheckoutEventName(rawValue: event.type) != nil {
            guard let reported = try? JSONValue(parsing: event.data.utf8)["checkout"],
                let checkout = try? JSONValueDecoder().decode(CheckoutReference.self, from: reported)
            else { continue }
            let id = StreamName.checkoutID(checkout)
            if !found.contains(id) { found.append(id) }
        }
        return found
    }

    private func amounts(_ item: JSONValue) -> Facts {
        var facts = Facts()
        let names = [
            ("requested", "Requested"), ("authorized", "Authorised"), ("captured", "Captured"),
            ("credited", "Credited"), ("tip", "Tips included"), ("refunded", "Refunded"),
            ("chargedBack", "Charged back"), ("remaining", "Remaining"), ("settled", "Settled"), ("due", "Still due"),
        ]
        for (key, name) in names {
            if let text = Wording.money(item["amounts"]?[key]) { facts.add(name, .number(text)) }
        }
        let parts = [
            ("base", "Base"), ("tip", "Tip"), ("tax", "Tax"), ("fee", "Fee"), ("cashback", "Cash back"),
            ("total", "Total of the parts"),
        ]
        for (key, name) in parts {
            if let text = Wording.money(item["breakdown"]?[key]) { facts.add(name, .number(text)) }
        }
        return facts
    }

    /// The last report of each side.
    private func sides(_ item: JSONValue, _ visit: Visit) -> Table {
        let names = [("reader", "Reader"), ("gateway", "Gateway"), ("settlement", "Batch and settlement")]
        return Table(
            caption: "Last report of each side",
            columns: ["Side", "Outcome", "Code", "Message", "When"],
            rows: names.compactMap { key, name in
                guard let facet = item["facets"]?[key], facet.object != nil else { return nil }
                return [
                    Cell(name), Cell(facet["outcome"]?.string.map(Wording.sentence)),
                    .code(facet["response"]?["code"]?.string), Cell(facet["response"]?["message"]?.string),
                    .time(facet["at"], in: visit.zone),
                ]
            },
            whenEmpty: "No side has reported an outcome yet."
        )
    }

    private func card(_ item: JSONValue) -> Facts {
        var facts = Facts()
        let card = item["card"]
        facts.add("Brand", card?["brand"]?.string)
        facts.add("Number", .code(card?["maskedNumber"]?.string ?? card?["lastFour"]?.string.map { "****\($0)" }))
        facts.add("Read by", card?["entryMethod"]?.string)
        facts.add("Funding", card?["funding"]?.string)
        facts.add("Application", card?["applicationLabel"]?.string)
        facts.add("PIN entered", card?["pinEntered"]?.bool.map { $0 ? "yes" : "no" })
        facts.add("Signature required", card?["requiresSignature"]?.bool.map { $0 ? "yes" : "no" })
        return facts
    }

    private func names(_ item: JSONValue) -> Facts {
        var facts = Facts()
        facts.add("App's reference", .code(item["reference"]?.string))
        for member in item["references"]?.object?.members ?? [] {
            facts.add(Wording.sentence(member.key), .code(member.value.string))
        }
        for linked in item["linked"]?.array ?? [] {
            guard let stream = linked.string else { continue }
            let id = StreamName.transactionID(stream)
            facts.add("Linked to", .code(id ?? stream, href: id.map(Address.transaction)))
        }
        return facts
    }

    private func anomalies(_ item: JSONValue) -> PageValue? {
        guard let anomalies = item["anomalies"]?.array, !anomalies.isEmpty else { return nil }
        return .list(
            anomalies.map { anomaly in
                .members([
                    "kind": .given(anomaly["kind"]?.string.map(Wording.sentence)),
                    "explanation": .given(anomaly["explanation"]?.string),
                ])
            }
        )
    }

    /// Captures, the credit, refunds and chargebacks; nil if there are none.
    private func movements(_ item: JSONValue) -> Table? {
        var rows: [[Cell]] = []
        func add(_ kind: String, _ entry: JSONValue) {
            let voided = entry["undone"]?.bool.map { $0 ? "undone" : "" } ?? Wording.money(entry["voided"])
            rows.append([
                Cell(kind), .code(entry["id"]?.string), .money(entry["amount"]), .money(entry["tip"]), .number(voided),
                Cell(entry["batch"]?["number"]?.string), Cell(entry["evidence"]?.string.map(Wording.sentence)),
            ])
        }
        for entry in item["captures"]?.array ?? [] { add("Capture", entry) }
        if let credit = item["credit"] { add("Credit", credit) }
        for entry in item["refunds"]?.array ?? [] { add("Refund", entry) }
        for entry in item["chargebacks"]?.array ?? [] { add("Chargeback", entry) }
        guard !rows.isEmpty else { return nil }
        return Table(
            caption: "Money movements",
            columns: ["Kind", "Id", "Amount#", "Tip#", "Voided#", "Batch", "Reported by"],
            rows: rows,
            whenEmpty: ""
        )
    }
}

extension Problem {
    fileprivate static let notBegun = Problem(
        status: 404,
        code: "not-found",
        title: "The payment had not begun by then",
        detail: "Choose a later time or position."
    )
}
