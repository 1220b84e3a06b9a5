import Canonical
import Composition
import EventLog
import HTTPEdge
import Intake
import Operations
import Payments
import Projections

extension WebConsole {
    func transaction(_ visit: Visit) async throws -> PageAnswer {
        let visitor = visit
        var visit = visit
        let id = try transactionID(visit)
        guard let stored = try await ledger.payments.transactions.transaction(id, of: visit.tenant) else {
            throw Problem.notFound
        }
        var item = try TransactionJSON(stored)
        if let merchant = item.merchant {
            visit.adopt(try await ledger.payments.merchants.merchant(merchant, of: visit.tenant))
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
            item = try TransactionJSON(then)
            events = events.filter(moment.contains)
            receipt = try await ledger.receipt(of: then, tenant: visit.tenant, at: moment)
            past = (moment, try await ledger.position(of: moment))
            visit = visitor
            if let merchant = then.merchant {
                visit.adopt(try await ledger.merchant(merchant, of: visit.tenant, at: moment))
            }
        } else {
            receipt = try await ledger.payments.receipts.receipt(of: id, tenant: visit.tenant)
        }
        let shown = Array(events.prefix(ConsoleView.timelineLimit))
        let printed = try ReaderReceiptsJSON.receipts(in: shown)
        let chip = ChipReport(events: shown, card: item.card)
        let feed = Address.path("\(Address.root)/events", [("stream", StreamName.transaction(id))])
        var page = Page(
            "transaction",
            "Transaction \(item.references.invoice.map { "with invoice \($0)" } ?? stored.id.description)",
            [
                "id": .text(stored.id.description), "status": Cell.status(item.status.rawValue).value,
                "amount": (item.headline?.description).map(PageValue.text),
                "asOf": PastForm(action: address, shown: past).value(query, asking.zone),
                "began": Cell.time(
                    item.localTime.map { .local($0) } ?? .instant(item.occurredAt),
                    in: visit.zone
                ).value,
                "inDoubt": .given(item.inDoubt),
                "doubt": .text(Address.doubt(stored.id.description)),
                "summary": summary(item, shown, visit).value, "amounts": amounts(item).value,
                "sides": sides(item, visit).value, "card": card(item).value, "names": names(item).value,
                "anomalies": anomalies(item), "tenders": tenders(item).map(\.value),
                "movements": movements(item).map(\.value),
                "timeline": Timeline(shown, in: visit.zone).value,
                "hasMore": .given(events.count > ConsoleView.timelineLimit), "feed": .text(feed), "chip": chip.value,
                "receipt": receipt.map { .text(ReceiptText.render($0, copy: .customer)) },
                "printed": .list(printed.map(Self.printed)), "hasPrinted": .given(!printed.isEmpty),
                "customerCopy": .text("\(Address.transaction(stored.id.description))/receipt?copy=customer"),
                "merchantCopy": .text("\(Address.transaction(stored.id.description))/receipt?copy=merchant"),
                "lastEvent": .text(Address.event(item.lastPosition)),
                "proof": .text("\(Address.event(item.lastPosition))/proof"),
                "history": .text(Address.history(stored.id.description)),
                "replays": .text(
                    Address.path(ConsoleView.replays.rawValue, [("transaction", stored.id.description)])
                ), "logKey": .text("\(Address.root)/log-key"), "lastPosition": "\(item.lastPosition)",
            ]
        )
        page.values["reconciled"] = try await reconciled(id, at: past?.position, visit)
        page.zoneNote = visit.zoneNote
        page.place = asking.place
        if let past { page.place?["up_to"] = "\(past.position)" }
        return .page(page)
    }

    /// A receipt of the reader, as text, and what it prints otherwise than the ledger has it.
    private static func printed(_ receipt: ReaderReceiptJSON) -> PageValue {
        .members([
            "copy": .text(receipt.copy.map { "\(Wording.sentence($0)) copy of the reader" } ?? "Receipt of the reader"),
            "text": .text(receipt.text), "event": .text(Address.event(receipt.position)),
            "differences": .list(
                receipt.differences.map {
                    .members([
                        "field": .text(Wording.sentence($0.field.rawValue)), "printed": .text($0.printed),
                        "recorded": .text($0.recorded),
                    ])
                }
            ),
        ])
    }

    /// The receipt as it is printed.
    func receiptText(_ visit: Visit) async throws -> EdgeResponse {
        let id = try transactionID(visit)
        var query = visit.query
        let copy = try query.choice("copy", of: ReceiptCopy.self) ?? .customer
        try query.finish()
        guard let receipt = try await ledger.payments.receipts.receipt(of: id, tenant: visit.tenant) else {
            throw Problem.notFound
        }
        return .text(ReceiptText.render(receipt, copy: copy))
    }

    private func transactionID(_ visit: Visit) throws(Problem) -> UUID128 {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw .notFound }
        return id
    }

    // MARK: Sections

    private func summary(_ item: TransactionJSON, _ events: [RecordedEvent], _ visit: Visit) -> Facts {
        var facts = Facts()
        facts.add("Type", (item.operation?.rawValue).map(Wording.sentence))
        facts.add("Vendor", (item.vendor?.rawValue).map(Wording.vendor))
        facts.add("Merchant", item.merchant, href: visit.merchant.map { Address.merchant($0.name) })
        facts.add("Terminal", item.terminal)
        facts.add("Device", item.device)
        if let reader = item.cardReader {
            facts.add("Reader", reader.serial, href: Address.reader(reader.vendor.rawValue, reader.serial))
        }
        facts.add("Tender", item.tender)
        if let stated = item.circumstances { Self.add(stated, to: &facts) }
        if item.test == true { facts.add("Test", "made at the vendor's test system; no money moved") }
        facts.add("Cardholder", item.cardholderPresent.map { $0 ? "present" : "not present" })
        facts.add("Budget", item.budgetMonths.map { "\($0) months" })
        facts.add("Signature", item.signature.map { Wording.sentence($0.rawValue) })
        facts.add("Cancellation", item.cancellation.map { Wording.sentence($0.rawValue) })
        let checkouts = Self.checkouts(events)
        for (number, checkout) in checkouts.enumerated() {
            let name = checkouts.count == 1 ? "its checkout" : "its checkout \(number + 1)"
            facts.add("Wallet", name, href: Address.checkout(checkout))
        }
        facts.add("Recorded", .time(item.recordedAt, in: visit.zone))
        facts.add("Version", "\(item.version)")
        return facts
    }

    /// The conditions that the app's request states.
    private static func add(_ stated: Circumstances, to facts: inout Facts) {
        facts.add("Card present", stated.isCardPresent.map { $0 ? "yes" : "no" })
        facts.add("Forced", stated.isForced.map { $0 ? "yes, although it may be a repeat" : "no" })
        facts.add("Voice authorization", stated.voiceAuthorization)
        facts.add("Industry", stated.industry)
        facts.add("Settlement delay", stated.settlementDelay)
        facts.add("Tax", stated.taxIndicator.map(Wording.sentence))
        facts.add("Tax rate", stated.taxRateBasisPoints.map(Wording.percent(basisPoints:)))
        for (name, amount) in stated.healthCare?.portions ?? [] { facts.add(name, .money(amount)) }
        facts.add("Items found eligible", stated.healthCare?.isQualified.map { $0 ? "yes" : "no" })
    }

    /// The checkouts that events refer to, each once.
    private static func checkouts(_ events: [RecordedEvent]) -> [String] {
        var found: [String] = []
        for event in events where CheckoutEventName(rawValue: event.type) != nil {
            guard case .checkout(let reported)? = try? TransactionEvent(event) else { continue }
            let id = StreamName.checkoutID(reported.report.checkout)
            if !found.contains(id) { found.append(id) }
        }
        return found
    }

    private func amounts(_ item: TransactionJSON) -> Facts {
        let (amounts, parts) = (item.amounts, item.breakdown)
        var facts = Facts()
        facts.add("Requested", .money(amounts.requested))
        facts.add("Authorized", .money(amounts.authorized))
        facts.add("Captured", .money(amounts.captured))
        facts.add("Credited", .money(amounts.credited))
        facts.add("Tips included", .money(amounts.tip))
        facts.add("Refunded", .money(amounts.refunded))
        facts.add("Charged back", .money(amounts.chargedBack))
        facts.add("Remaining", .money(amounts.remaining))
        facts.add("Settled", .money(amounts.settled))
        facts.add("Card value", (item.cardValue?.operation).map(Wording.sentence))
        facts.add("Amount of the card", .money(item.cardValue?.amount))
        facts.add("Balance of the card", .money(item.cardValue?.balance))
        facts.add("Discount", .money(amounts.discount))
        facts.add("Still due", .money(amounts.due))
        facts.add("Base", .money(parts?.base))
        facts.add("Tip", .money(parts?.tip))
        facts.add("Tax", .money(parts?.tax))
        facts.add("Fee", .money(parts?.fee))
        for part in parts?.parts ?? [] {
            let kind = Wording.sentence(part.kind.rawValue)
            facts.add("\(kind): \(part.label ?? "without a label")", .money(part.amount))
        }
        facts.add("Cash back", .money(parts?.cashback))
        facts.add("Total of the parts", .money(parts?.total))
        return facts
    }

    /// The last report of each side.
    private func sides(_ item: TransactionJSON, _ visit: Visit) -> Table {
        let sides = [
            ("Reader", item.facets.reader), ("Gateway", item.facets.gateway),
            ("Batch and settlement", item.facets.settlement),
        ]
        return Table(
            caption: "Last report of each side",
            columns: ["Side", "Outcome", "Code", "Message", "What to do", "When"],
            rows: sides.compactMap { name, facet in
                guard let facet else { return nil }
                return [
                    Cell(facet.relayed == true ? "\(name), relayed" : name),
                    Cell(Wording.sentence(facet.outcome.rawValue)), .code(facet.response.code),
                    Cell(facet.response.message), Cell(item.remedy(of: facet)), .time(facet.at, in: visit.zone),
                ]
            },
            whenEmpty: "No side has reported an outcome yet."
        )
    }

    private func card(_ item: TransactionJSON) -> Facts {
        var facts = Facts()
        let card = item.card
        facts.add("Brand", card?.brand)
        facts.add("Number", .code(card?.maskedNumber ?? (card?.lastFour).map { "****\($0)" }))
        facts.add("Read by", card?.entryMethod)
        facts.add("Funding", card?.funding)
        facts.add("Application", card?.applicationLabel)
        facts.add("Address check", (card?.addressCheck).map(Self.text))
        facts.add("Code check", (card?.codeCheck).map(Self.text))
        facts.add("Commercial card", (card?.isCommercial).map { $0 ? "yes" : "no" })
        facts.add("PIN entered", (card?.pinEntered).map { $0 ? "yes" : "no" })
        facts.add("Signature required", (card?.requiresSignature).map { $0 ? "yes" : "no" })
        return facts
    }

    private static func text(_ check: CardCheck) -> String {
        [check.code, check.result].compactMap(\.self).joined(separator: ": ")
    }

    private func names(_ item: TransactionJSON) -> Facts {
        let references = item.references
        var facts = Facts()
        facts.add("App's reference", .code(item.reference))
        facts.add("Gateway transaction", .code(references.gatewayTransaction))
        facts.add("Authorization code", .code(references.authorizationCode))
        facts.add("Retrieval reference", .code(references.retrievalReference))
        facts.add("Host transaction", .code(references.hostTransaction))
        facts.add("Vendor transaction", .code(references.vendorTransaction))
        facts.add("Invoice", .code(references.invoice))
        facts.add("Merchant", .code(references.merchant))
        facts.add("Terminal", .code(references.terminal))
        facts.add("Clerk", .code(references.clerk))
        facts.add("Tip recipient", .code(references.tipRecipient))
        for stream in item.linked {
            let id = StreamName.transactionID(stream)
            facts.add("Linked to", .code(id ?? stream, href: id.map(Address.transaction)))
        }
        return facts
    }

    private func anomalies(_ item: TransactionJSON) -> PageValue? {
        guard !item.anomalies.isEmpty else { return nil }
        return .list(
            item.anomalies.map { anomaly in
                .members([
                    "kind": .text(Wording.sentence(anomaly.kind.rawValue)), "explanation": .given(anomaly.explanation),
                    "related": .list(
                        (anomaly.related ?? []).compactMap(StreamName.transactionID).map { id in
                            .members(["id": .text(id), "href": .text(Address.transaction(id))])
                        }
                    ),
                ])
            }
        )
    }

    /// Captures, the credit, refunds and chargebacks; nil if there are none.
    private func movements(_ item: TransactionJSON) -> Table? {
        func row(_ kind: String, _ entry: TransactionJSON.Capture) -> [Cell] {
            [
                Cell(kind), .code(entry.id), .money(entry.amount), .money(entry.tip), .money(entry.voided),
                Cell(entry.batch?.shownNumber), Cell(Wording.sentence(entry.evidence.rawValue)),
            ]
        }
        func row(_ kind: String, _ entry: TransactionJSON.Return) -> [Cell] {
            [
                Cell(kind), .code(entry.id), .money(entry.amount), .number(nil), .number(entry.undone ? "undone" : ""),
                Cell(entry.batch?.shownNumber), Cell(Wording.sentence(entry.evidence.rawValue)),
            ]
        }
        let rows =
            item.captures.map { row("Capture", $0) } + [item.credit].compactMap(\.self).map { row("Credit", $0) }
            + item.refunds.map { row("Refund", $0) } + item.chargebacks.map { row("Chargeback", $0) }
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
