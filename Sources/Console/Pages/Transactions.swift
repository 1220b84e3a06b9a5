import Access
import Canonical
import Composition
import HTTPEdge
import Operations
import Payments
import Projections

extension WebConsole {
    func addTransactions(to router: inout EdgeRouter<Principal>) {
        addPage(.transactions, needs: [.read], to: &router) { try await transactions($0) }
        addPage(.transaction, needs: [.read], to: &router) { try await transaction($0) }
        addPage(.history, needs: [.read], to: &router) { try await history($0) }
        addPage(.receipt, needs: [.read], to: &router) {
            .other(try await receiptText($0))
        }
    }

    /// The filters of the API's list, as a form.
    private static let filters = FilterForm(
        action: "\(Address.root)/transactions",
        fields: criteria + [
            FilterField(
                "sort",
                "Sorted by",
                .choice([("position", "Log, newest first"), ("time", "Time, newest first")])
            )
        ]
    )

    /// The filters that select payments.
    static let criteria = [
        FilterField("from", "From", .time), FilterField("to", "Before", .time),
        FilterField(
            "status",
            "Status",
            .choice(TransactionStatus.allCases.map { ($0.rawValue, Wording.sentence($0.rawValue)) })
        ),
        FilterField(
            "type",
            "Type",
            .choice(Operation.allCases.map { ($0.rawValue, Wording.sentence($0.rawValue)) })
        ),
        FilterField(
            "vendor",
            "Vendor",
            .choice(Vendor.allCases.map { ($0.rawValue, Wording.vendor($0.rawValue)) })
        ),
        FilterField("merchant", "Merchant"), FilterField("terminal", "Terminal"), FilterField("reader", "Reader"),
        FilterField("text", "Text"), FilterField("batch", "Batch number"),
        FilterField("card_brand", "Card brand"), FilterField("last4", "Last four digits", .digits),
        FilterField("auth_code", "Authorization code"), FilterField("rrn", "Retrieval reference (RRN)"),
        FilterField("invoice", "Invoice"), FilterField("gateway_id", "Gateway id"),
        FilterField("reference", "App's reference"), FilterField("currency", "Currency", hint: "such as USD"),
        FilterField("amount_from", "Amount from", .digits, hint: "in minor units: 1340 is 13.40 USD"),
        FilterField("amount_to", "Amount to", .digits, hint: "in minor units"),
        FilterField("in_doubt", "In doubt only", .check), FilterField("anomalous", "With anomalies only", .check),
        FilterField("avs", "Address check", hint: "the vendor's code"),
        FilterField("cv", "Code check", hint: "the vendor's code"),
        FilterField("health_care", "With health care only", .check),
        FilterField("voice_auth", "Voice authorizations only", .check),
        FilterField("card_present", "Card present", .choice([("true", "Yes"), ("false", "No")])),
        FilterField("commercial", "Commercial card", .choice([("true", "Yes"), ("false", "No")])),
        FilterField(
            "tax_indicator",
            "Tax",
            .choice([("provided", "Provided"), ("not-provided", "Not provided"), ("exempt", "Exempt")])
        ),
        FilterField("test", "Test payments only", .check),
    ]

    private func transactions(_ visit: Visit) async throws -> PageAnswer {
        try await listPage(
            Lists.transactions,
            .transactions,
            "transactions",
            "Transactions",
            visit,
            filters: Self.filters
        ) {
            transactionTable($0, "Transactions, newest first", visit)
        }
    }

    func transactionTable(_ items: [TransactionJSON], _ caption: String, _ visit: Visit) -> Table {
        Table(
            caption: caption,
            columns: ["Began", "Amount#", "Status", "Type", "Card", "Merchant", "Terminal", "Vendor", "Attention"],
            rows: items.map { item in
                let card = [item.card?.brand, item.card?.lastFour].compactMap(\.self)
                return [
                    .time(item.occurredAt, in: visit.zone, href: Address.transaction(item.id.text)),
                    .money(item.headline), .status(item.status.rawValue),
                    Cell((item.operation?.rawValue).map(Wording.sentence)), Cell(card.joined(separator: " ")),
                    Cell(item.merchant), Cell(item.terminal), Cell((item.vendor?.rawValue).map(Wording.vendor)),
                    Self.attention(item),
                ]
            },
            whenEmpty: "No transactions found. If you set filters, change them."
        )
    }

    private static func attention(_ item: TransactionJSON) -> Cell {
        let anomalies = item.anomalies.count
        var words: [String] = []
        if item.test == true { words.append("test") }
        if item.inDoubt { words.append("in doubt") }
        if anomalies > 0 { words.append("\(anomalies, "anomaly", "anomalies")") }
        return words.isEmpty ? Cell("") : .badge(words.joined(separator: ", "), .caution)
    }
}
