import Canonical
import DaybookTestKit
import EventLog
import Postgres

/// The whole log, read directly from the database, compared with the answers that clients received.
struct LogAudit {
    let events: [RecordedEvent]
    /// The first positions of the documents, by the `device` that was sent with them.
    let documents: [String: [Int64]]

    /// Reads the whole log of a database.
    init(url: String) async throws {
        let configuration = PostgresConfiguration(connectionString: url)
        (events, documents) = try await PostgresPool.withPool(configuration, options: .patient(connections: 2)) {
            pool in
            let events = try await EventReader(pool: pool).events(after: 0, limit: .max)
            let rows = try await pool.query(
                """
                SELECT data->>'device', array_agg(position ORDER BY position) FROM ledger.events
                WHERE type = 'DocumentReceived' AND data->>'device' IS NOT NULL GROUP BY 1
                """
            )
            var documents: [String: [Int64]] = [:]
            for row in rows { documents[try row.text(0)] = try row.array(1, of: Int64.self).compactMap { $0 } }
            return (events, documents)
        }
    }

    /// Faults in the order of the log, in words: gaps in positions or versions, time going back.
    var faults: [String] { TestLog.faults(of: events) }

    /// Differences between the log and the acknowledgements, in words: each acknowledged record must be there exactly
    /// once, at the positions that every acknowledgement of it named.
    func faults(of acknowledgements: [Load.Acknowledgement], to records: [SampleRecord]) throws -> [String] {
        var faults: [String] = []
        var answers: [String: JSONValue] = [:]
        for acknowledgement in acknowledgements {
            let marker = records[acknowledgement.record].marker
            let answer = try acknowledgement.answer()
            if let earlier = answers[marker] {
                if earlier != answer { faults.append("\(marker) was answered \(earlier.text) and \(answer.text)") }
                continue
            }
            answers[marker] = answer
            let positions = answer["positions"]?.array?.compactMap(\.int64) ?? []
            if documents[marker] != positions.first.map({ [$0] }) {
                faults.append("\(marker) is at \(documents[marker] ?? []), acknowledged at \(positions)")
            }
            let types = answer["events"]?.array?.compactMap(\.string) ?? []
            let found = positions.compactMap { position in
                events.indices.contains(Int(position) - 1) ? events[Int(position) - 1] : nil
            }
            if found.map(\.type) != types || Set(found.map(\.stream)).count != 1 {
                faults.append("\(marker) was answered \(types), the log has \(found.map(\.type))")
            }
        }
        return faults
    }
}
