import Canonical
import Payments
package import Reconciliation
import Statements
import Tables

extension StatementImporter.Request {
    /// Reads `format`, `name`, `currency` and `date_order`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        format = try query.choice("format", of: StatementFormat.self)
        name = try query.text("name")
        options.currency = try query.value("currency", expected: "is a currency, as USD") { Currency(alpha: $0) }
        options.dateOrder = try query.choice("date_order", of: DateOrder.self)
    }
}
