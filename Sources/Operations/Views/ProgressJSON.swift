package import EventLog
package import Projections

/// The progress of a read model.
package struct ProgressJSON: Codable, Sendable, Hashable {
    package enum State: String, Codable, Sendable, CaseIterable {
        case running, halted
    }

    package var name: String
    package var version: Int
    package var position: Int64
    package var lag: Int64
    package var state: State
    package var fault: String?
    package var faultPosition: Int64?
    package var rebuilding: Bool

    package init(_ progress: ReadModels.Progress) {
        name = progress.name
        version = progress.version
        position = progress.position
        lag = progress.lag
        state = progress.fault == nil ? .running : .halted
        fault = progress.fault
        faultPosition = progress.faultPosition
        rebuilding = progress.isRebuilding
    }
}

/// All read models.
package struct ProgressPageJSON: Codable, Sendable, Hashable {
    package var items: [ProgressJSON]

    package init(_ models: [ReadModels.Progress]) { items = models.map(ProgressJSON.init) }
}

/// A server that accepts requests.
package struct ReadyJSON: Codable, Sendable, Hashable {
    package enum Status: String, Codable, Sendable, CaseIterable {
        case ready
    }

    package var status = Status.ready
    package var readModels: [ProgressJSON]
    package var checkpoints: SigningJSON
    package var proof: LogProofJSON

    package init(_ models: [ReadModels.Progress], _ signing: SigningState, _ status: LogStatus) {
        readModels = models.map(ProgressJSON.init)
        checkpoints = SigningJSON(signing)
        // A caller needs no key to read this.
        proof = LogProofJSON(status).withoutReason
    }
}

/// A server that does not.
package struct NotReadyJSON: Codable, Sendable, Hashable {
    package enum Status: String, Codable, Sendable, CaseIterable {
        case notReady = "not-ready"
    }

    package var status = Status.notReady
    package var reason: String

    package init(reason: String) { self.reason = reason }
}
