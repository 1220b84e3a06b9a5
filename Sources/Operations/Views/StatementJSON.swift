package import Canonical
package import Composition
package import Payments
import Projections
package import Reconciliation
package import Statements

/// A statement file. A single statement also has the rules of its mapping and its remarks.
package struct StatementJSON: Codable, Sendable, Hashable {
    package struct Withdrawal: Codable, Sendable, Hashable {
        package var position: Int64
        package var at: Timestamp
        package var by: String
        package var reason: String
    }

    /// The sums of the lines of one type and currency.
    package struct Total: Codable, Sendable, Hashable {
        package var type: LineType
        package var lines: Int64
        package var gross: Money
        package var fees: Money
        package var amount: Money
    }

    /// An ambiguous or unknown part of the file.
    package struct Remark: Codable, Sendable, Hashable {
        package var code: String
        package var line: Int64
        package var detail: String
    }

    package var id: UUID128
    package var format: StatementFormat
    package var side: StatementSide
    package var name: String?
    package var status: StatementView.Status
    package var digest: String
    package var bytes: Int64
    package var lines: Int64
    package var controls: Int64
    package var failedControls: Int64
    package var notes: Int64
    package var repeatedLines: Int64
    package var firstDay: String?
    package var lastDay: String?
    package var currency: Currency?
    package var dateOrder: DateOrder?
    package var mapping: String?
    package var replaces: UUID128?
    package var totals: [Total]
    package var importedAt: Timestamp?
    package var importedBy: String
    package var withdrawal: Withdrawal?
    package var firstPosition: Int64
    package var lastPosition: Int64
    package var mappingRules: JSONObject?
    package var remarks: [Remark]?

    package init(_ statement: StatementView) throws {
        let reported = try JSONValueDecoder().decode(StatementImport.self, parsing: statement.reported)
        id = statement.id
        format = try StatementFormat(stored: reported.format)
        side = try StatementSide(stored: reported.side)
        name = reported.name
        status = statement.status
        digest = reported.digest
        bytes = reported.bytes
        lines = reported.lines
        controls = reported.controls
        failedControls = reported.failedControls
        notes = reported.notes
        repeatedLines = statement.repeated
        firstDay = reported.firstDay
        lastDay = reported.lastDay
        currency = try reported.currency.map(Currency.init(stored:))
        dateOrder = try reported.dateOrder.map(DateOrder.init(stored:))
        mapping = reported.mapping
        replaces = reported.replaces
        totals = try reported.totals.map(Total.init)
        importedAt = statement.importedAt
        importedBy = statement.importedBy
        withdrawal = statement.withdrawal.map {
            Withdrawal(position: $0.position, at: $0.at, by: $0.by, reason: $0.reason)
        }
        firstPosition = statement.firstPosition
        lastPosition = statement.lastPosition
    }
}

extension StatementJSON.Total {
    fileprivate init(_ total: StatementTotal) throws {
        let currency = try Currency(stored: total.currency)
        type = try LineType(stored: total.type)
        lines = total.lines
        gross = Money(total.gross, currency)
        fees = Money(total.fees, currency)
        amount = Money(total.amount, currency)
    }
}

/// A figure that the file states.
package struct StatementControlJSON: Codable, Sendable, Hashable {
    package var kind: StatementControl.Kind
    package var name: String
    package var scope: String
    package var stated: Int64
    package var computed: Int64?
    package var currency: Currency?
    package var holds: Bool
    package var line: Int64

    package init(_ control: ControlView) throws {
        kind = try StatementControl.Kind(stored: control.kind)
        name = control.name
        scope = control.scope
        stated = control.stated
        computed = control.computed
        currency = try control.currency.map(Currency.init(stored:))
        holds = control.holds
        line = control.line
    }
}

extension Ledger {
    /// A statement with its remarks; nil if the tenant has no such statement.
    ///
    /// - Parameter position: The log position of a past state; nil for now.
    package func statement(_ id: UUID128, of tenant: String, at position: Int64? = nil) async throws -> StatementJSON? {
        guard let found = try await reconciliation.statements.statement(id, of: tenant, at: position) else {
            return nil
        }
        var statement = try StatementJSON(found)
        statement.mappingRules = try JSONValue(parsing: found.reported.utf8)["mappingRules"]?.object
        statement.remarks = try await reconciliation.statements.notes(of: id, tenant: tenant).map {
            StatementJSON.Remark(code: $0.code, line: $0.line, detail: $0.detail)
        }
        return statement
    }
}
