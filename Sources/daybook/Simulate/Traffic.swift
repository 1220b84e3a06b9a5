import Canonical
import Operations
import Payments
import Simulator

/// The outcome of the documents that were sent.
struct TrafficReport: Sendable {
    var documents = 0
    /// Lines that the ledger had received before.
    var repeats = 0
    /// Documents that the ledger refused, by code.
    var refused: [String: Int] = [:]
    /// Answers with a status of 500 or more that are not retryable, by code.
    var serverErrors: [String: Int] = [:]
    /// Requests and lines that were sent again.
    var retries = 0
    var anomalies: [String: Int] = [:]
    var redactions = 0
    var lastPosition: Int64 = 0

    mutating func add(_ other: TrafficReport) {
        documents += other.documents
        repeats += other.repeats
        refused.merge(other.refused, uniquingKeysWith: +)
        serverErrors.merge(other.serverErrors, uniquingKeysWith: +)
        retries += other.retries
        anomalies.merge(other.anomalies, uniquingKeysWith: +)
        redactions += other.redactions
        lastPosition = max(lastPosition, other.lastPosition)
    }

    var json: JSONValue {
        [
            "documents": .number(.init(Int64(documents))), "repeats": .number(.init(Int64(repeats))),
            "retries": .number(.init(Int64(retries))), "refused": Self.counts(refused),
            "serverErrors": Self.counts(serverErrors), "anomalies": Self.counts(anomalies),
            "redactions": .number(.init(Int64(redactions))), "lastPosition": .number(.init(lastPosition)),
        ]
    }

    private static func counts(_ counts: [String: Int]) -> JSONValue {
        var object: JSONObject = [:]
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) { object[name] = .number(.init(Int64(count))) }
        return .object(object)
    }
}

/// Sends a day's documents as apps do: each vendor's in its own lane, in order, `window` documents per request.
struct Traffic: Sendable {
    let client: APIClient

    /// The lines of one request; about 600 KB.
    private static let window = 400
    /// The maximum number of times that a line is sent.
    private static let attempts = 60

    /// - Parameter sent: Called after each request with the number of its documents.
    func send(
        _ deliveries: [Delivery],
        sent: @escaping @Sendable (Int) async -> Void
    ) async throws -> TrafficReport {
        let lanes = Dictionary(grouping: deliveries, by: \.document.vendor)
        return try await withThrowingTaskGroup(of: TrafficReport.self) { group in
            for (vendor, deliveries) in lanes {
                group.addTask {
                    var report = TrafficReport()
                    for start in stride(from: 0, to: deliveries.count, by: Self.window) {
                        let part = deliveries[start..<min(start + Self.window, deliveries.count)]
                        report.add(try await post(part.map(\.document), to: vendor))
                        await sent(part.count)
                    }
                    return report
                }
            }
            var report = TrafficReport()
            for try await part in group { report.add(part) }
            return report
        }
    }

    /// Sends documents until each has a final answer. Those without one are sent again under the same idempotency keys.
    private func post(_ documents: [SDKDocument], to vendor: Vendor) async throws -> TrafficReport {
        var report = TrafficReport()
        var open = documents
        var attempt = 0
        while !open.isEmpty {
            let lines = Array(open.map(\.record.canonicalBytes).joined(separator: [0x0A])) + [0x0A]
            var failures = 0
            let answers: [IntakeLineJSON]
            do {
                answers = try await client.patiently(attempts: Self.attempts, failed: { _ in failures += 1 }) {
                    try await client.post("/v1/intake/\(vendor.rawValue)", lines: lines).map {
                        try JSONValueDecoder().decode(IntakeLineJSON.self, from: $0)
                    }
                }
            } catch let error as APIClient.Refused {
                throw Failure(error)
            } catch let error as APIClient.Unreachable {
                throw Failure(error, at: client.base)
            }
            report.retries += failures
            var next = Dictionary(uniqueKeysWithValues: open.enumerated().map { ($0.offset, $0.element) })
            var pause = 0
            for answer in answers {
                guard next[answer.line - 1] != nil else { continue }
                if let problem = answer.problem, problem.retryable {
                    pause = max(pause, problem.retryAfterSeconds ?? 1)
                } else {
                    report.take(answer)
                    next[answer.line - 1] = nil
                }
            }
            open = next.sorted { $0.key < $1.key }.map(\.value)
            guard !open.isEmpty else { break }
            attempt += 1
            report.retries += open.count
            guard attempt < Self.attempts else {
                throw Failure(
                    "\(open.count, "document") got no final answer.",
                    hint: "`daybook doctor` checks the ledger."
                )
            }
            try await Task.sleep(for: .seconds(min(30, max(1, pause))))
        }
        report.documents = documents.count
        return report
    }
}

extension TrafficReport {
    /// Counts a final answer.
    fileprivate mutating func take(_ line: IntakeLineJSON) {
        if let problem = line.problem {
            if line.status >= 500 {
                serverErrors[problem.code, default: 0] += 1
            } else {
                refused[problem.code, default: 0] += 1
            }
            lastPosition = max(lastPosition, problem.tracePosition ?? 0)
        }
        if line.replayed == true { repeats += 1 }
        guard let answer = line.answer else { return }
        redactions += answer.redactions.count
        for anomaly in answer.anomalies { anomalies[anomaly.kind.rawValue, default: 0] += 1 }
        lastPosition = max(lastPosition, answer.positions.last ?? 0)
    }
}
