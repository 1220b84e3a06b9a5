import Access
package import Canonical
import Composition
import EventLog
package import Intake
import Logging
package import Payments
import Projections

extension RedactionNote {
    package var json: JSONValue { ["path": .string(path), "rule": .string(rule), "action": .string(action)] }
}

/// The answer to a recorded document. A duplicate request gets the same.
package struct IntakeAnswerJSON: Codable, Sendable, Hashable {
    package var transaction: String?
    package var batch: String?
    package var stream: String
    package var positions: [Int64]
    package var events: [String]
    package var redactions: [RedactionNote]
    package var anomalies: [Anomaly]
}

/// The answer to recorded events. A duplicate request gets the same.
package struct EventAnswerJSON: Codable, Sendable, Hashable {
    package var stream: String
    package var positions: [Int64]
    package var redactions: [RedactionNote]
}

/// The result of one record of a stream: its answer, or the problem.
package struct LineResultJSON<Answer: Codable & Sendable & Hashable>: Codable, Sendable, Hashable {
    /// From 1; empty lines are not counted.
    package var line: Int
    package var status: Int
    package var replayed: Bool?
    package var answer: Answer?
    package var problem: ProblemJSON?
}

package typealias IntakeLineJSON = LineResultJSON<IntakeAnswerJSON>
package typealias AppendLineJSON = LineResultJSON<EventAnswerJSON>

// Each recorded document and event has an answer, so their JSON is built member by member.

extension IntakeAnswer {
    /// As `IntakeAnswerJSON`.
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
    /// As `EventAnswerJSON`.
    package var json: JSONValue {
        [
            "stream": .string(stream),
            "positions": .array(positions.map { .number(.init($0)) }),
            "redactions": .array(redactions.map(\.json)),
        ]
    }
}
