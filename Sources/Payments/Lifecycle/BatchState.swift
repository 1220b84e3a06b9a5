/// One settlement batch, folded from the events of its stream.
package struct BatchState: Sendable, Hashable, Codable {
    package enum Status: String, Sendable, Hashable, Codable, CaseIterable {
        case open, closing, closed
        /// The host refused to close it.
        case failed
        case outOfBalance = "out-of-balance"
    }

    package var version: Int64 = 0
    package var reference: BatchReference?
    package var status = Status.open
    /// True if a request to close it was reported. A batch that closed without a request was closed by the device or
    /// the host.
    package var isRequested = false
    /// The closing; nil until the batch is closed.
    package var closing: BatchClosing?
    /// The host's last answer to a request to close it, while it is not closed.
    package var answer: Response?
    /// The batch that it is part of, unless a document is about its own closing.
    package var partOf: BatchReference?
    /// The highest-ranked evidence that the closing failed; nil if no source reported that.
    package var failure: Evidence?
    package var anomalies: [Anomaly] = []

    package init() {}

    package init(folding events: some Sequence<BatchEvent>) {
        for event in events { evolve(event) }
    }

    package mutating func evolve(_ event: BatchEvent) {
        version += 1
        switch event {
        case .documentReceived: break
        case .batchCloseRequested(let reported):
            reference = reference ?? reported.batch
            isRequested = true
            partOf = nil
            note(reported.response)
            if status == .open || status == .failed { status = .closing }
        case .batchClosed(let reported):
            reference = reference ?? reported.batch
            if let known = closing {
                // The gateway's own closing stands, whichever was recorded first.
                if reported.rankedEvidence.rank > known.rankedEvidence.rank { closing = reported }
            } else {
                closing = reported
            }
            if status != .outOfBalance { status = .closed }
            partOf = nil
        case .batchCloseFailed(let reported):
            reference = reference ?? reported.batch
            note(reported.response)
            partOf = nil
            if closing == nil {
                status = .failed
                if failure.map({ $0.rank < reported.rankedEvidence.rank }) ?? true { failure = reported.rankedEvidence }
            }
        case .batchOutOfBalance(let reported):
            reference = reference ?? reported.batch
            status = .outOfBalance
            partOf = nil
        case .batchLinked(let link):
            reference = reference ?? link.batch
            guard status == .open, link.partOf.vendor == link.batch.vendor, link.partOf.number == link.batch.number,
                link.partOf.generation == link.batch.generation
            else { break }
            partOf = link.partOf == link.batch ? nil : partOf ?? link.partOf
        case .anomalyRaised(let anomaly): anomalies.append(anomaly)
        }
    }

    private mutating func note(_ response: Response) {
        if response != Response() { answer = response }
    }

    /// The events to append when `facts` are observed about a batch with this `history`, including anomalies. As with
    /// payments, a fact that was already recorded in the same form is left out; a document never is.
    package static func decide(_ facts: [BatchEvent], after history: [BatchEvent]) -> [BatchEvent] {
        var state = BatchState(folding: history)
        var events: [BatchEvent] = []
        for fact in facts where fact.isRepeatable || !(history.contains(fact) || events.contains(fact)) {
            var anomaly: Anomaly?
            switch fact {
            case .batchClosed(let reported):
                if let earlier = state.closing {
                    let isSame = reported.agrees(with: earlier)
                    anomaly =
                        isSame ? nil : Anomaly(.batchMismatch, "the batch was closed before, by another settlement")
                } else if let failure = state.failure, !reported.rankedEvidence.concludes(against: failure) {
                    anomaly = Anomaly(.batchMismatch, "relayed as closed although the gateway reports that it failed")
                }
            case .batchCloseFailed where state.closing != nil:
                anomaly = Anomaly(.batchMismatch, "closing failed although the batch is closed")
            case .anomalyRaised(let known) where state.anomalies.contains(known): continue
            default: break
            }
            state.evolve(fact)
            events.append(fact)
            if let anomaly, !state.anomalies.contains(anomaly) {
                state.evolve(.anomalyRaised(anomaly))
                events.append(.anomalyRaised(anomaly))
            }
        }
        return events
    }
}

extension BatchEvent {
    fileprivate var isRepeatable: Bool {
        switch self {
        case .documentReceived, .anomalyRaised: true
        default: false
        }
    }
}
