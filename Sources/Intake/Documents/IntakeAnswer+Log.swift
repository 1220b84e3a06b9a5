import Canonical
import EventLog
import Payments

extension IntakeAnswer {
    /// The answer to a record, read from the events recorded for it.
    init(_ range: AppendedRange, _ events: [RecordedEvent], isDuplicate: Bool) throws {
        var redactions: [RedactionNote] = []
        var anomalies: [Anomaly] = []
        let decoder = JSONValueDecoder()
        for event in events {
            switch event.type {
            case "DocumentReceived":
                let data = try JSONValue(parsing: event.data.utf8)
                redactions += try decoder.decode(DocumentReceived.self, from: data).redactions
            case "AnomalyRaised":
                anomalies.append(try decoder.decode(Anomaly.self, from: JSONValue(parsing: event.data.utf8)))
            default: break
            }
        }
        self.init(
            stream: events.first?.stream ?? "",
            positions: range.positions,
            types: events.map(\.type),
            redactions: redactions,
            anomalies: anomalies,
            isDuplicate: isDuplicate
        )
    }
}
