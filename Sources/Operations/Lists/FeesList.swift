import Canonical
import Composition
package import Journal
import Matching
import Tables

extension Lists {
    package static let fees = ListDefinition<FeeFilter, FeeChargeJSON>(
        name: "fees",
        summary: "Fees by merchant, processor, brand, component and currency, and what contracts allow, in this order.",
        paths: ["fees"],
        readModels: ["journal", "reconciliation", "merchants"],
        isAvailableInThePast: true,
        pageSize: nil,
        filter: { (query: inout ParameterReader) throws(Refusal) in try FeeFilter(&query) },
        columns: { _ in feeColumns },
        shown: "merchant,processor,brand,component,amount_decimal,lines,volume_decimal,basis_point_hundredths,"
            + "expected_decimal,difference_decimal,currency,comparison",
        page: { query, ledger in
            let rules = try await ledger.rules(of: query.tenant, at: query.position).rules
            let charges = try await ledger.journal.fees(
                of: query.tenant,
                matching: query.filter,
                by: FeeContracts(rules.contracts),
                at: query.position
            )
            return Page(items: charges.map { FeeChargeJSON($0) }, next: nil)
        }
    )

    private static let feeColumns: [Column] = {
        var columns = ["merchant", "processor", "brand", "component", "source"].map { Column($0, $0) }
        columns.append(Column("currency", as: .currency([["amount"]])))
        columns += Column.money("amount", "amount")
        columns.append(Column("lines", "lines"))
        columns += Column.money("volume", "volume")
        columns += [
            Column("basis_point_hundredths", "basisPointHundredths"), Column("comparison", "comparison"),
            Column("contract_begins", "contract", "begins"),
            Column("contract_basis_point_hundredths", "contract", "basisPointHundredths"),
            Column("contract_fixed", "contract", "fixed"),
        ]
        columns += Column.money("expected", "expected")
        return columns + Column.money("difference", "difference")
    }()
}

extension FeeFilter {
    /// Reads `merchant`, `processor`, `brand`, `component`, `currency`, `from_day` and `to_day`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        merchant = try query.text("merchant")
        processor = try query.text("processor")
        brand = try query.text("brand")
        component = try query.text("component")
        currency = try query.text("currency")
        from = try query.day("from_day")
        to = try query.day("to_day")
    }
}
