import Canonical
import Composition
import HTTPEdge
import Operations
import Payments
import Projections

extension WebConsole {
    private static let filters = FilterForm(
        action: ConsoleView.readerRates.rawValue,
        fields: [
            FilterField("by", "By", .choice([("cashier", "Cashier")]), unset: "Reader"),
            FilterField("from", "From", .time), FilterField("to", "Before", .time),
            FilterField("merchant", "Merchant"),
            FilterField(
                "vendor",
                "Vendor",
                .choice(Vendor.allCases.map { ($0.rawValue, Wording.vendor($0.rawValue)) })
            ),
        ]
    )

    /// Rates of declines, signatures that timed out and PINs that were left out.
    func rates(_ visit: Visit) async throws -> PageAnswer {
        let key = FormQuery(visit)["by"].flatMap(ReaderRates.Key.init(rawValue:)) ?? .reader
        return try await listPage(
            Lists.readerRates,
            .readerRates,
            "rates",
            "Rates by \(key.rawValue)",
            visit,
            filters: Self.filters,
            values: { _ in ["by": .text(key.rawValue)] },
            table: { Self.rateTable($0, by: key) }
        )
    }

    private static func rateTable(_ items: [ReaderRatesJSON], by key: ReaderRates.Key) -> Table {
        func percent(_ rate: Int64?) -> Cell { .number(rate.map(Wording.percent(basisPoints:))) }
        func name(_ item: ReaderRatesJSON) -> Cell {
            guard let vendor = item.vendor, let reader = item.reader else { return Cell(item.cashier) }
            return Cell("\(Wording.vendor(vendor.rawValue)) \(reader)", href: Address.reader(vendor.rawValue, reader))
        }
        return Table(
            caption: "Rates by \(key.rawValue)",
            columns: [
                Wording.sentence(key.rawValue), "Payments#", "Decided#", "Declined#", "Rate#", "Signatures#",
                "Timed out#", "Rate#", "PINs#", "Left out#", "Rate#",
            ],
            rows: items.map { item in
                [
                    name(item), .count(item.payments), .count(item.decided), .count(item.declined),
                    percent(item.declineBasisPoints), .count(item.signatures), .count(item.signatureTimeouts),
                    percent(item.signatureTimeoutBasisPoints), .count(item.pins), .count(item.pinBypasses),
                    percent(item.pinBypassBasisPoints),
                ]
            },
            whenEmpty: "No payments found. If you set filters, change them."
        )
    }
}
