import Canonical
import Payments

/// What is seen of folded documents.
struct FoldedViews {
    struct Payment {
        var reference: String?
        var names: [String]
        var state: TransactionState
        var view: JSONValue
        var receipt: JSONValue
        var printed: String
        var events: [JSONValue]
    }

    var refusals: [String]
    /// The kinds of the anomalies of no payment.
    var anomalies: [String]
    var payments: [Payment] = []
    var readers: [JSONValue] = []
    var checkouts: [JSONValue] = []
    var batches: [JSONValue] = []

    init(refusals: [String], anomalies: [String]) {
        self.refusals = refusals
        self.anomalies = anomalies
    }

    /// What an expectation compares; the empty text if only a ledger has it.
    func value(_ expected: JSONValue) -> String {
        let of = expected["of"]?.string
        let path = expected["path"]?.string
        func texts(_ items: [JSONValue]) -> String {
            items.map { item in path.map { Self.value(of: $0, in: item).text } ?? item.text }.joined(separator: " ")
        }
        switch expected["at"]?.string {
        case "intake": return refusals.joined(separator: " ")
        case "transactions": return path == nil ? String(payments.count) : texts(payments.map(\.view))
        case "transaction": return payment(of).map { texts([path == "occurredAt" ? $0.receipt : $0.view]) } ?? "none"
        case "receiptData": return payment(of).map { texts([$0.receipt]) } ?? "none"
        case "receipt":
            guard let sought = expected["value"]?.string else { return "" }
            return payment(of).map { String($0.printed.lowercased().contains(sought.lowercased())) } ?? "none"
        case "timeline": return timeline(payment(of)?.events ?? [], path)
        case "anomalies":
            let found = (of == nil ? payments : [payment(of)].compactMap(\.self)).flatMap(\.state.anomalies)
            let kinds = Set(found.map(\.kind.rawValue) + (of == nil ? anomalies : []))
            let sought = (expected["value"]?.array ?? []).compactMap(\.string)
            return sought.map { "\(kinds.contains($0))" }.joined(separator: " ")
        case "reader":
            return texts(readers.filter { of == nil || $0["reader"]?["serial"]?.string == of })
        case "checkout": return texts(checkouts)
        case "batch": return texts(batches)
        case "doubts":
            return (of == nil ? payments : [payment(of)].compactMap(\.self))
                .map { "\($0.state.isInDoubt || $0.state.awaitsReversal) \($0.state.requested ?? 0)" }
                .joined(separator: " ")
        case "totals", "tenders":
            return payments.filter { !$0.state.isTest }
                .map { "\($0.state.captured) \($0.state.credited) \($0.state.currency?.alpha ?? "")" }
                .joined(separator: " ")
        default: return ""
        }
    }

    private func payment(_ of: String?) -> Payment? {
        guard let of else { return payments.last }
        return payments.first { $0.reference == of } ?? payments.first { $0.names.contains { $0.contains(of) } }
    }

    /// The values of a path that begins with the events' type.
    private func timeline(_ events: [JSONValue], _ path: String?) -> String {
        let parts = (path ?? "*").split(separator: ".", maxSplits: 1).map(String.init)
        let chosen = events.filter { parts[0] == "*" || $0["type"]?.string == parts[0] }
        guard parts.count == 2 else { return String(chosen.count) }
        return chosen.map { Self.value(of: parts[1], in: $0).text }.filter { $0 != "null" }.joined(separator: " ")
    }

    /// The members of the API's readers that have another name in their read model.
    private static let otherNames = ["errors": "faults", "connected": "isConnected", "charging": "isCharging"]

    private static func value(of path: String, in item: JSONValue) -> JSONValue {
        path.split(separator: ".").reduce(item) { value, name in
            if name == "length" { return .number(.init(Int64(value.array?.count ?? 0))) }
            if let at = name.firstIndex(of: "["), let list = member(String(name[..<at]), of: value)?.array {
                let parts = name[at...].dropFirst().dropLast().split(separator: "=")
                return list.first { $0[String(parts[0])]?.string == String(parts[1]) } ?? .null
            }
            if let index = Int(name), let array = value.array {
                return array.indices.contains(index) ? array[index] : .null
            }
            return member(String(name), of: value) ?? .null
        }
    }

    private static func member(_ name: String, of value: JSONValue) -> JSONValue? {
        value[name] ?? otherNames[name].flatMap { value[$0] }
    }
}
