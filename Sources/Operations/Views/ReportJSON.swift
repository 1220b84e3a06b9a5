package import Canonical
import Payments
import Projections
package import Reconciliation
import Tables

/// A reconciliation report and its request.
package struct ReportAnswer: Sendable {
    package var scope: ReportScope
    package var report: ReconciliationReport
    /// The time at which it was made.
    package var now: Timestamp
    /// Whether it is of the past.
    package var isPast: Bool

    package init(scope: ReportScope, report: ReconciliationReport, now: Timestamp, isPast: Bool) {
        self.scope = scope
        self.report = report
        self.now = now
        self.isPast = isPast
    }

    package var json: JSONValue {
        var object: JSONObject = [:]
        object.set("from", scope.from?.description)
        object.set("to", scope.to?.description)
        object.set("merchant", scope.merchant)
        object["zone"] = .string(report.days.zone.name)
        object["cutoff"] = .string(report.days.cutoff)
        object["madeAt"] = .string(now.rfc3339)
        object["asOfPosition"] = .number(.init(report.position))
        if isPast { object["asOf"] = .string(report.now.rfc3339) }
        if let covers = report.covers { object["covers"] = .number(.init(covers)) }
        object["balances"] = .array(report.balances.map(\.json))
        object["processor"] = .array(report.processor.map(\.json))
        object["ledger"] = .array(report.ledger.map(\.json))
        object["account"] = .array(report.account.map(\.json))
        object["exceptions"] = .array(report.exceptions.map(\.json))
        object["deposits"] = .array(report.deposits.map(\.json))
        return .object(object)
    }

    /// The rows of the CSV, section by section.
    package var rows: [JSONValue] {
        func rows(_ section: String, _ items: [JSONValue], name: String) -> [JSONValue] {
            items.map { item in
                var object = item.object ?? [:]
                object["section"] = .string(section)
                object.set("name", item[name]?.string)
                return .object(object)
            }
        }
        let head: JSONValue = [
            "section": "report", "name": "as-of-position", "count": .number(.init(report.position)),
        ]
        return [head] + rows("balance", report.balances.map(\.json), name: "name")
            + rows("processor", report.processor.map(\.json), name: "state")
            + rows("ledger", report.ledger.map(\.json), name: "state")
            + rows("account", report.account.map(\.json), name: "kind")
            + rows("exception", report.exceptions.map(\.json), name: "class")
            + rows("deposit", report.deposits.map(\.json), name: "state")
    }
}

extension ReconciliationReport.Balance {
    package var json: JSONValue {
        var object: JSONObject = ["currency": .string(currency)]
        object.set("processor", JSONValue.money(processor, currency))
        object.set("ledger", JSONValue.money(ledger, currency))
        object.set("difference", JSONValue.money(difference, currency))
        object["unexamined"] = .number(.init(unexamined))
        return .object(object)
    }
}

extension ReconciliationReport.Share {
    package var json: JSONValue {
        var object: JSONObject = [
            "currency": .string(currency), "state": .string(state.rawValue), "count": .number(.init(count)),
        ]
        object.set("amount", JSONValue.money(amount, currency))
        return .object(object)
    }
}

extension ReconciliationReport.AccountLine {
    package var json: JSONValue {
        var object: JSONObject = [
            "currency": .string(currency), "kind": .string(kind.rawValue), "count": .number(.init(count)),
        ]
        object.set("gross", JSONValue.money(gross, currency))
        object.set("fees", JSONValue.money(fees, currency))
        object.set("amount", JSONValue.money(amount, currency))
        return .object(object)
    }
}

extension ReconciliationReport.ExceptionShare {
    package var json: JSONValue {
        var object: JSONObject = ["class": .string(exceptionClass)]
        object.set("currency", currency)
        object["ages"] = .array(ages.map { .number(.init($0)) })
        object["open"] = .number(.init(open))
        object.set("openAmount", JSONValue.money(openAmount, currency))
        object["unattributed"] = .number(.init(unattributed))
        object["resolved"] = .number(.init(resolved))
        object.set("resolvedAmount", JSONValue.money(resolvedAmount, currency))
        return .object(object)
    }
}
