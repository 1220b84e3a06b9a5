import Access
import Canonical
import Composition
import EventLog
import HTTPEdge
import Intake
import Operations
import Payments
import Projections
import Redaction

extension WebConsole {
    func addMerchants(to router: inout EdgeRouter<Principal>) {
        addPage(.merchants, needs: [.read], to: &router) { try await merchants($0) }
        addPage(.merchant, needs: [.read], to: &router) { .page(try await merchant($0)) }
        addForm(ConsoleView.merchants.rawValue, needs: .describeMerchants, to: &router) { visit, fields in
            try await describe(visit, fields)
        }
    }

    /// The described merchants by name, and the form that describes one.
    private func merchants(_ visit: Visit) async throws -> PageAnswer {
        let answer = try await listPage(Lists.merchants, .merchants, "merchants", "Merchants", visit) {
            (items: [MerchantJSON]) in
            Table(
                caption: "Described merchants, by name",
                columns: [
                    "Merchant", "Zone", "Day begins", "Other names", "Reason", "Recorded by", "Recorded", "Event#",
                ],
                rows: items.map { item in
                    [
                        Cell(item.merchant, href: Address.merchant(item.merchant)), Cell(item.zone), Cell(item.cutoff),
                        Cell(Self.names(of: item)), Cell(item.reason), .code(item.by), .time(item.at, in: visit.zone),
                        .count(item.position, href: Address.event(item.position)),
                    ]
                },
                whenEmpty:
                    "No merchant has been described: all days last from midnight to midnight. Describe one below."
            )
        }
        guard case .page(var page) = answer else { return answer }
        page.values["isForward"] = true
        page.values["describing"] = describing(nil, visit)
        return .page(page)
    }

    /// One merchant, and a business day in its time zone.
    private func merchant(_ visit: Visit) async throws -> Page {
        var visit = visit
        let name = try visit.request.parameter("merchant")
        guard let found = try await ledger.payments.merchants.merchant(name, of: visit.tenant),
            let described = try await ledger.describedMerchant(name, of: visit.tenant)
        else {
            throw Problem.notFound
        }
        visit.adopt(found)
        let query = FormQuery(visit)
        var reader = try query.reader()
        let days = visit.merchant?.day ?? BusinessDay(zone: visit.zone)
        let chosen = try reader.value("day") { days.interval(of: $0) == nil ? nil : $0 }
        try reader.finish()
        let day = chosen ?? days.day(of: visit.now)
        guard let answer = try await ledger.day(day, of: visit.tenant, days, merchant: name) else {
            throw Problem.notFound
        }
        let path = Address.merchant(name)
        func link(_ distance: Int64) -> PageValue? {
            BusinessDay.day(distance, after: day).map { .text(query.address(path, ["day": $0])) }
        }
        var facts = Facts()
        facts.add("Described as", found.isOf(name) ? nil : found.merchant)
        facts.add("Other names", described.names.map { _ in Self.names(of: described) })
        facts.add("Time zone", found.zone)
        facts.add("Business day begins at", found.cutoff)
        facts.add("Reason", found.reason)
        facts.add("Recorded by", .code(found.by))
        facts.add("Recorded", .time(found.at, in: visit.zone))
        facts.add("Event", .count(found.position, href: Address.event(found.position)))
        var page = Page(
            "merchant",
            "Merchant \(name)",
            [
                "facts": facts.value, "day": .text(day), "earlier": link(-1), "later": chosen == nil ? nil : link(1),
                "here": .text(path), "sums": sums(answer, Self.range(answer)).value,
                "from": Cell.time(answer.start, in: visit.zone).value,
                "to": Cell.time(answer.end, in: visit.zone).value,
                "whole": .text(Address.path(Address.root, [("day", day), ("merchant", name)])),
                "describing": describing(found, visit),
            ]
        )
        page.zoneNote = visit.zoneNote
        page.place = visit.place
        page.place?.query = [
            ("day", day), ("zone", days.zone.name), ("cutoff", days.cutoff), ("merchant", name),
        ]
        return page
    }

    /// The form that describes a merchant, or the scopes that it needs.
    ///
    /// - Parameter merchant: The merchant to describe; nil if the form has a field for its name.
    private func describing(_ merchant: MerchantView?, _ visit: Visit) -> PageValue {
        guard visit.may(.describeMerchants) else {
            return .members(["scopes": .text(Permission.describeMerchants.scopeNames)])
        }
        return .members([
            "action": .text(ConsoleView.merchants.rawValue), "token": .text(visit.token.formToken),
            "once": .text(ledger.ids.next().text), "known": (merchant?.merchant).map(PageValue.text),
            "clock": .text(merchant?.zone ?? visit.zone.name), "cutoff": .text(merchant?.cutoff ?? "00:00"),
            "longestName": "\(MerchantCommands.longestName)", "longestReason": "\(Reason.mostBytes)",
        ])
    }

    /// The names beside the described one, with their roles.
    private static func names(of merchant: MerchantJSON) -> String {
        (merchant.names ?? []).filter { $0.name != merchant.merchant }.map { name in
            "\(name.name) (\(name.role)\(name.ambiguous == true ? ", ambiguous" : ""))"
        }.joined(separator: ", ")
    }

    /// A name without spaces around it.
    private static func trimmed(_ typed: String) -> String {
        var name = typed.drop(while: \.isWhitespace)
        while name.last?.isWhitespace == true { name.removeLast() }
        return String(name)
    }

    /// Records the description of a merchant as the API does, and shows the merchant. The same form sent twice is
    /// recorded once.
    private func describe(_ visit: Visit, _ fields: FormFields) async throws -> EdgeResponse {
        let name = fields["known"] ?? Self.trimmed(fields["merchant"] ?? "")
        guard MerchantCommands.isName(name) else {
            throw Problem(
                status: 400,
                code: "malformed-record",
                title: "The name of the merchant is not valid",
                detail: "Go back and enter 1 to \(MerchantCommands.longestName) bytes without card data."
            )
        }
        var reported: JSONObject = [:]
        for member in ["zone", "cutoff", "reason"] { reported.set(member, fields[member]) }
        let command = try DescribeMerchant(reading: .object(reported))
        let outcome = try await ledger.intake.merchants.describe(
            name,
            zone: command.days.zone.name,
            cutoff: command.days.cutoff,
            reason: command.reason,
            idempotencyKey: fields["once"].map { "console:\($0)" },
            sender: Sender(
                tenant: visit.tenant,
                actor: visit.session.principal.actor,
                correlation: visit.request.id
            )
        )
        // The page is made from the read model, which contains the event a moment later.
        let position = outcome.event.position
        _ = try await ledger.readModels.wait(for: "merchants", toReach: position, timeout: ledger.waitLimit)
        return redirect(to: Address.merchant(name))
    }
}
