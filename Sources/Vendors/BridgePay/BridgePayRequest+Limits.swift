import Payments
import Redaction

extension BridgePayRequest {
    /// The limits that the request breaks, its values that are not in the guide's lists, and parts that are more than
    /// their whole.
    ///
    /// - Parameter total: The requested amount, with the tip if the approved amount contains it.
    func anomalies(in currency: Currency, total: Money?) -> [Anomaly] {
        brokenLimits + incompleteness + unknownValues + modeAnomalies + scaleAnomalies(in: currency, total: total)
            + portionAnomalies(in: currency, total: total)
    }

    private var brokenLimits: [Anomaly] {
        let own = BridgePayProperty.request.compactMap { $0.anomaly(in: fields, of: kind.rawValue) }
        return BridgePayProperty.requestObjects.reduce(into: own) { anomalies, table in
            guard let holder = try? fields.object(table.name) else { return }
            anomalies += table.properties.compactMap { $0.anomaly(in: holder, of: label(table.object)) }
        }
    }

    private var unknownValues: [Anomaly] {
        var anomalies: [Anomaly] = []
        func check(_ holder: Fields?, _ field: String, _ isKnown: (String) -> Bool) {
            guard let text = try? holder?.text(SensitiveNames.normalized(field)), !isKnown(text) else { return }
            anomalies.append(.unlisted(label(field), text))
        }
        check(fields, "tenderType") { BridgePayTender($0) != nil }
        check(fields, "transactionType") { BridgePayOperation(transactionType: $0) != nil }
        check(fields, "industryType") { BridgePayIndustry($0) != nil }
        check(fields, "taxIndicator") { BridgePayTaxIndicator(rawValue: $0.uppercased()) != nil }
        check(fields, "wallet") { $0.lowercased() == "new" }
        let terminal = try? fields.object("terminalcommconfig")
        check(terminal, "terminalType") { BridgePayTerminalType($0) != nil }
        check(fields, "terminalType") { BridgePayTerminalType($0) != nil }
        let health = try? fields.object("healthcaredata")
        check(health, "isQualifiedIIAS") { ["true", "false"].contains($0.lowercased()) }
        return anomalies
    }
}
