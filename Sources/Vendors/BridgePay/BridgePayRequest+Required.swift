import Payments
import Redaction

// Properties that must be there, and properties that exclude each other: document 000, lines 288 to 424, 457 to 598 and
// 669.
extension BridgePayRequest {
    /// A property that requests of these kinds must have, for these operations; nil: for all.
    private struct Requirement {
        let field: String
        /// The field's normalised name.
        let name: String
        let kinds: Set<Kind>
        let operations: Set<BridgePayOperation>?

        init(_ field: String, _ kinds: Set<Kind>, _ operations: Set<BridgePayOperation>? = nil) {
            self.field = field
            name = SensitiveNames.normalized(field)
            self.kinds = kinds
            self.operations = operations
        }
    }

    /// The properties that the guide calls required, as far as their absence shows in a document. An app may keep its
    /// credentials to itself. A nil terminal means that none is used, and leaves no member. The constructors without a
    /// transaction type make sales.
    private static let required: [Requirement] = [
        Requirement("merchantCode", [.payment, .token, .find]),
        Requirement("merchantAccountCode", [.payment, .token, .find]),
        Requirement("invoiceNumber", [.payment]),
        Requirement("tenderType", [.payment]),
        Requirement("industryType", [.payment]),
        Requirement("industryType", [.token], [.sale]),
        Requirement(
            "amount",
            [.payment],
            [.sale, .authorization, .credit, .capture, .verification, .activation, .load]
        ),
        Requirement("tipAmount", [.payment], [.tipAdjust]),
        Requirement("pnRefNum", [.payment], [.capture, .tipAdjust, .void, .refund]),
    ]

    /// Properties for some operations only: cash back is for sales, line 432, a delay for authorizations, line 683.
    private static let confined: [(field: String, name: String, operations: Set<BridgePayOperation>)] = [
        ("cashBackAmount", "cashbackamount", [.sale]), ("settlementDelay", "settlementdelay", [.authorization]),
    ]

    /// One of them names the card or account: lines 532, 539 and 669. The ids of TokenPay are removed before.
    private static let paymentIdentifiers = [
        ("paymentAccountNumber", "paymentaccountnumber"), ("token", "token"),
        ("bankAccountNumber", "bankaccountnumber"), ("walletPaymentMethodId", "walletpaymentmethodid"),
    ]

    /// Required properties that are absent, and properties that do not go together.
    var incompleteness: [Anomaly] {
        let missing = Self.required.filter { isBroken($0) }.map { "\(label($0.field)) is required and not there" }
        return (missing + search + contradictions + levels).map { Anomaly(.malformedField, $0) }
    }

    private func isBroken(_ requirement: Requirement) -> Bool {
        guard requirement.kinds.contains(kind) else { return false }
        if let operations = requirement.operations {
            guard let operation, operations.contains(operation) else { return false }
        }
        switch requirement.field {
        case "pnRefNum": return original == nil
        case "invoiceNumber": return invoice == nil
        case "industryType": return !fields.has("industrytype") && !isOfOldConstructor
        default: return !fields.has(requirement.name)
        }
    }

    /// The older constructor has a device type, and neither terminal nor line of business: line 1725.
    private var isOfOldConstructor: Bool { fields.has("devicetype") || fields.isNull("devicetype") }

    /// A find names what it looks for: lines 343 and 1923.
    private var search: [String] {
        guard operation == .find, original == nil, invoice == nil || kind == .payment,
            !fields.has("transactioncode"), !fields.has("purchasetoken")
        else { return [] }
        return ["\(kind.rawValue) names no transaction to find"]
    }

    private var contradictions: [String] {
        var found: [String] = []
        let identifiers = Self.paymentIdentifiers.filter { fields.has($0.1) }.map(\.0)
        if identifiers.count > 1 {
            found.append("\(kind.rawValue) names \(identifiers.joined(separator: " and ")); one is allowed")
        }
        for (field, name, operations) in Self.confined {
            guard let operation, !operations.contains(operation), isStated(name) else { continue }
            found.append("\(label(field)) is not for requests of type \(operation.rawValue)")
        }
        // Line 339.
        if operation == .credit, original != nil {
            found.append("\(label("pnRefNum")) names an original, which a credit does not have")
        }
        return found + bankAccount + terminal
    }

    /// Account and routing number go together, and are for checks: lines 539 and 546.
    private var bankAccount: [String] {
        guard fields.has("bankaccountnumber") || fields.has("routingnumber") else { return [] }
        let named = ["bankAccountNumber", "routingNumber"].filter { fields.has($0.lowercased()) }
        guard let first = named.first else { return [] }
        var found = named.count == 1 ? ["\(label(first)) is there without the other number of a bank account"] : []
        if let tender, ![.checking, .savings, .check].contains(tender) {
            found.append("\(label(first)) is for checks, and tenderType is \(tender.rawValue)")
        }
        return found
    }

    /// A token needs no terminal, line 1633; an address is for IP terminals, which need one, lines 491 and 493.
    private var terminal: [String] {
        let config = try? fields.object("terminalcommconfig")
        let name = (try? config?.text("terminaltype")) ?? (try? fields.text("terminaltype"))
        guard let name else { return [] }
        var found: [String] = []
        if fields.has("token") { found.append("\(label("token")) is there with a terminalType") }
        guard let type = BridgePayTerminalType(name), let config else { return found }
        if type == .ingenicoIP, !config.has("ipaddress") {
            found.append("an IP terminal is named without its ipAddress")
        }
        for field in ["ipAddress", "port"] where type != .ingenicoIP && config.has(field.lowercased()) {
            found.append("\(label("terminalCommConfig.\(field)")) is for IP terminals")
        }
        return found
    }

    /// Amount, rate and indicator of a tax are all required for levels II and III: lines 586 to 598.
    private var levels: [String] {
        let indicator = (try? fields.text("taxindicator")).flatMap { BridgePayTaxIndicator(rawValue: $0.uppercased()) }
        let hasTax = isStated("taxamount") || isStated("taxrate") || indicator == .provided
        guard kind == .payment, hasTax else { return [] }
        let missing = ["taxIndicator", "taxAmount", "taxRate"].filter { !fields.has($0.lowercased()) }
        return missing.isEmpty ? [] : ["\(label(missing.joined(separator: " and "))): required with a tax, not there"]
    }

    /// True for a value other than zero.
    ///
    /// - Parameter name: The normalised name.
    private func isStated(_ name: String) -> Bool {
        guard fields.has(name) else { return false }
        return (try? fields.text(name))?.contains { !["$", "0", "."].contains($0) } ?? true
    }
}
