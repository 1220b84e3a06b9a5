import ArgumentParser
import Canonical
import Composition
import Operations
import Payments
import Projections

struct TotalsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "totals",
        abstract: "Show the totals of captures, refunds, credits and voids.",
        discussion: """
            There is one total for each combination of keys and currency. A business day begins at --cutoff in --zone. \
            The defaults are those of the --merchant (`daybook merchants`), else midnight in UTC. --json prints the \
            answer of GET /v1/totals.

            EXAMPLES
              daybook totals --by day
              daybook totals --by day,merchant --zone Europe/Berlin --cutoff 04:00 \\
                --from 2026-03-01T00:00:00Z
              daybook totals --by merchant --as-of 2026-03-02T06:00:00Z
              daybook totals --by brand,tender --merchant 8846 --json | jq '.items[].net'
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "The keys: one to three of day, merchant, terminal, brand, tender, clerk, currency, vendor.")
    var by = "day"

    @Option(help: "The zone of the business day, such as Europe/Berlin or +01:00.")
    var zone: String?

    @Option(help: "The time at which the business day begins, such as 04:00.")
    var cutoff: String?

    @Option(help: "Only lines that happened at this time (RFC 3339) or later.")
    var from: String?

    @Option(help: "Only lines that happened before this time.")
    var to: String?

    @Option(help: "Only this merchant.")
    var merchant: String?

    @Option(help: "Only this terminal.")
    var terminal: String?

    @Option(help: "Only lines reported by this vendor's SDK.")
    var vendor: String?

    @Option(help: "Only this currency, such as USD.")
    var currency: String?

    @Option(help: "Only this card brand, in upper or lower case.")
    var cardBrand: String?

    @Option(help: "Only this tender.")
    var tender: String?

    @Option(help: "Only this clerk.")
    var clerk: String?

    @Option(help: "The totals as recorded at this time (RFC 3339).")
    var asOf: String?

    @Option(help: "The totals as of this position of the log.")
    var asOfPosition: Int64?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func run() async throws {
        guard let keys = TotalsKey.list(by) else {
            let names = TotalsKey.offered.map(\.rawValue).joined(separator: ", ")
            throw Failure.usage("--by must be one to three of \(names), separated by commas.")
        }
        let asked = try BusinessDayRequest(zone: zone, cutoff: cutoff)
        let moment = try Moment(time: asOf, position: asOfPosition)
        let filter = try self.filter()
        try await Session.open(common) { session in
            try await session.withLedger(for: .reading(Lists.totals.readModels + Lists.merchants.readModels)) {
                ledger in
                let tenant = try await ledger.tenant(tenantName)
                var position: Int64?
                if let moment { position = try await ledger.position(of: moment) }
                let past = position
                let days = try await ledger.days(asked, merchant: merchant, of: tenant, at: past)
                let rows = try await Self.rows {
                    try await ledger.payments.totals.totals(
                        of: tenant,
                        by: keys,
                        matching: filter,
                        days: days,
                        at: past
                    )
                }
                if common.json {
                    return try Terminal.say(
                        json: TotalsJSON(TotalsAnswer(keys: keys, days: days, rows: rows, position: past))
                    )
                }
                if rows.isEmpty { return Terminal.say("nothing was captured, refunded or credited") }
                Self.show(rows, by: keys)
                Terminal.note("Business days begin at \(days.cutoff) in the zone \(days.zone.name).")
            }
        }
    }

    private func filter() throws -> TotalsFilter {
        var filter = TotalsFilter()
        filter.occurredFrom = try from.map { try Self.time($0, "--from") }
        filter.occurredBefore = try to.map { try Self.time($0, "--to") }
        filter.merchant = merchant
        filter.terminal = terminal
        filter.vendor = try vendor.map(Vendor.init(named:))
        filter.currency = currency
        filter.cardBrand = cardBrand
        filter.tender = tender
        filter.clerk = clerk
        return filter
    }

    static func time(_ text: String, _ option: String) throws -> Timestamp {
        guard let time = Timestamp(rfc3339: text) else {
            throw Failure.usage("\(option) must be a time such as 2026-03-01T00:00:00Z.")
        }
        return time
    }

    private static func rows(_ read: () async throws -> [TotalsRow]) async throws -> [TotalsRow] {
        do {
            return try await read()
        } catch let error as TotalsError {
            throw Failure(Operations.Refusal(error))
        }
    }

    static func show(_ rows: [TotalsRow], by keys: [TotalsKey]) {
        let shown = keys.enumerated().filter { $0.element != .currency }
        func money(_ minor: Int64, _ row: TotalsRow) -> String { Money(minor, row.currency).description }
        Terminal.table(
            shown.map(\.element.rawValue) + ["captured", "tips", "refunded", "credited", "voided", "net"],
            rows.map { row in
                shown.map { row.keys[$0.offset] ?? "-" }
                    + [row.captured, row.tips, row.refunded, row.credited, row.voided, row.net].map { money($0, row) }
            },
            rightAligned: Set(shown.count..<shown.count + 6)
        )
        let portions = rows.flatMap { row in row.portions.map { (row, $0) } }
        guard !portions.isEmpty else { return }
        Terminal.say()
        Terminal.table(
            shown.map(\.element.rawValue) + ["inside", "label", "amount"],
            portions.map { row, portion in
                shown.map { row.keys[$0.offset] ?? "-" }
                    + [portion.kind.rawValue, portion.label ?? "-", money(portion.amount, row)]
            },
            rightAligned: [shown.count + 2]
        )
    }
}

extension Vendor {
    /// - Throws: `Failure` that lists the known names.
    init(named name: String) throws {
        guard let vendor = Vendor(rawValue: name) else {
            let names = Vendor.allCases.map(\.rawValue).joined(separator: ", ")
            throw Failure.usage("There is no such vendor. Vendors: \(names).")
        }
        self = vendor
    }
}
