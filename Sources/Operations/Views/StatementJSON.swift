package import Canonical
package import Ledger
import Payments
import Projections
package import Reconciliation

extension StatementView {
    /// A statement without its remarks.
    package func json() throws -> JSONValue {
        let reported = try JSONValue(parsing: reported.utf8)
        var object: JSONObject = ["id": .string(id.text)]
        for member in ["format", "side", "name"] { object.set(member, reported[member]?.string) }
        object["status"] = .string(status.rawValue)
        for member in ["digest", "bytes", "lines", "controls", "failedControls", "notes"] {
            object[member] = reported[member]
        }
        object["repeatedLines"] = .number(.init(repeated))
        for member in ["firstDay", "lastDay", "currency", "dateOrder", "mapping", "replaces"] {
            object.set(member, reported[member]?.string)
        }
        object["totals"] = .array((reported["totals"]?.array ?? []).map(Self.total))
        object.set("importedAt", importedAt)
        object["importedBy"] = .string(importedBy)
        if let withdrawal {
            object["withdrawal"] = [
                "position": .number(.init(withdrawal.position)), "at": .string(withdrawal.at.rfc3339),
                "by": .string(withdrawal.by), "reason": .string(withdrawal.reason),
            ]
        }
        object["firstPosition"] = .number(.init(firstPosition))
        object["lastPosition"] = .number(.init(lastPosition))
        return .object(object)
    }

    private static func total(_ reported: JSONValue) -> JSONValue {
        var object: JSONObject = [:]
        object["type"] = reported["type"]
        object["lines"] = reported["lines"]
        for member in ["gross", "fees", "amount"] {
            object[member] = JSONValue.money(reported[member], reported["currency"])
        }
        return .object(object)
    }
}

extension Ledger {
    /// A statement with its remarks; nil if the tenant has no such statement.
    ///
    /// - Parameter position: The log position of a past state; nil for now.
    package func statement(_ id: UUID128, of tenant: String, at position: Int64? = nil) async throws -> JSONValue? {
        guard let found = try await statements.statement(id, of: tenant, at: position) else { return nil }
        var object = try found.json().object ?? [:]
        object["mappingRules"] = try JSONValue(parsing: found.reported.utf8)["mappingRules"]
        object["remarks"] = .array(
            try await statements.notes(of: id, tenant: tenant).map {
                ["code": .string($0.code), "line": .number(.init($0.line)), "detail": .string($0.detail)]
            }
        )
        return .object(object)
    }
}

extension PlacedLine {
    /// One line of a statement. Positive amounts go to the merchant.
    package func json() throws -> JSONValue {
        let reported = try JSONValue(parsing: reported.utf8)
        let currency = reported["currency"]
        var object: JSONObject = [
            "number": .number(.init(number)), "id": .string(id.text), "repeated": .bool(isRepeat),
        ]
        object["line"] = reported["line"]
        object["type"] = reported["type"]
        object["role"] = reported["role"] ?? "own"
        object.set("rawType", reported["raw"]?.string)
        object.set("group", group)
        for member in ["gross", "fees", "net", "amount"] {
            object[member] = JSONValue.money(reported[member], currency)
        }
        if let fees = reported["fee"]?.object {
            object["fee"] = .array(
                fees.members.map { ["kind": .string($0.key), "amount": JSONValue.money($0.value, currency) ?? .null] }
            )
        }
        object["paid"] = JSONValue.money(reported["paid"], reported["paidCurrency"])
        for member in ["at", "localTime", "zone", "day", "bookedDay", "valueDay", "status"] {
            object.set(member, reported[member]?.string)
        }
        object["references"] = reported["references"] ?? [:]
        return .object(object)
    }
}

extension ControlView {
    package var json: JSONValue {
        var object: JSONObject = [
            "kind": .string(kind), "name": .string(name), "scope": .string(scope), "stated": .number(.init(stated)),
        ]
        if let computed { object["computed"] = .number(.init(computed)) }
        object.set("currency", currency)
        object["holds"] = .bool(holds)
        object["line"] = .number(.init(line))
        return .object(object)
    }
}

extension JSONValue {
    /// Minor units with their currency; nil without either.
    package static func money(_ value: JSONValue?, _ currency: JSONValue?) -> JSONValue? {
        guard let value, let currency else { return nil }
        return ["value": value, "currency": currency]
    }
}
