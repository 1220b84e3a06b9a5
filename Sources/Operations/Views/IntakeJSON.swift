import Access
package import Canonical
import EventLog
package import Intake
import Ledger
import Logging
import Payments
import Projections

extension RedactionNote {
    package var json: JSONValue { ["path": .string(path), "rule": .string(rule), "action": .string(action)] }
}

extension IntakeAnswer {
    /// The JSON form. A duplicate request gets the same.
    package var json: JSONValue {
        var object: JSONObject = [:]
        if let transaction = StreamName.transactionID(stream) { object["transaction"] = .string(transaction) }
        if let batch = StreamName.batchID(stream) { object["batch"] = .string(batch) }
        object["stream"] = .string(stream)
        object["positions"] = .array(positions.map { .number(.init($0)) })
        object["events"] = .array(types.map(JSONValue.string))
        object["redactions"] = .array(redactions.map(\.json))
        object["anomalies"] = .array(anomalies.map(\.json))
        return .object(object)
    }
}

extension EventAnswer {
    /// The JSON form. A duplicate request gets the same.
    package var json: JSONValue {
        [
            "stream": .string(stream),
            "positions": .array(positions.map { .number(.init($0)) }),
            "redactions": .array(redactions.map(\.json)),
        ]
    }
}

extension IssuedReceipt {
    package var json: JSONValue {
        [
            "transaction": .string(transaction.text), "copy": .string(copy.rawValue),
            "count": .number(JSONNumber(Int64(count))), "reprint": .number(JSONNumber(Int64(count - 1))),
            "position": .number(JSONNumber(position)),
        ]
    }
}
