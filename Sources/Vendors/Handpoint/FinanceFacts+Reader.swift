import Canonical
import Payments

// Results that are about the reader, and not about a payment.
extension FinanceFacts {
    /// True for a result that moves no money: nothing to recover, the start or end of a day, an initialisation of the
    /// reader, and a result that names no operation and no payment. As a payment the last could never be found again.
    var isOfReader: Bool {
        get throws {
            if try isNothingPending { return true }
            switch response.type {
            case .hostInit, .startDay, .endDay: return true
            case .undefined, nil:
                return try response.financial == .processed
                    || !FinanceOutcome.isApproval(meaning) && !response.isRecovered && namesNothing
            default: return false
            }
        }
    }

    /// The reader has no stored result: it answers a request for one with an empty failure.
    private var isNothingPending: Bool {
        get throws {
            let isAsked = response.isRecovered || response.type == .recoverResult
            let isNothing = response.type.map { !$0.isFinancial } ?? true
            return try isAsked && isNothing && !FinanceOutcome.isApproval(meaning) && response.transaction == nil
        }
    }

    /// True if neither the sender, nor an id, nor an amount shows a payment.
    private var namesNothing: Bool {
        get throws {
            let figures = try ["requestedamount", "totalamount", "authorisedamount"].compactMap {
                try response.details.text($0)
            }
            let hasAmount = figures.contains { $0.contains { $0 != "0" } }
            return try !response.context.namesPayment && !response.namesUnknownType && keys.isEmpty && !hasAmount
        }
    }

    /// True for an update or initialisation of the reader. Version 2.6.0 has no type for it, and no other operation
    /// that ends as `PROCESSED`, or with the status of an update (document 002, lines 614-632, 1248, 1372-1379).
    private var isUpdate: Bool {
        get throws {
            if response.type == .hostInit { return true }
            guard response.type == .undefined || response.type == nil, try namesNothing else { return false }
            return response.financial == .processed || response.status.status?.event == .readerUpdateFailed
        }
    }

    /// An initialisation installs the updates that are due (document 002, lines 614-618). One that ends with any status
    /// of a failure did not, whatever that status means for a payment.
    private var updateEvents: [DeviceEvent.Name] {
        let ends = [response.financial?.meaning, response.result?.meaning, response.status.meaning]
        let isCancelled = ends.contains(.cancelled)
        let hasFailed = ends.contains { $0 == .failed || $0 == .declined } || response.status.meaning != nil
        guard isError || isCancelled || hasFailed else { return [.readerInitialized, .readerUpdated] }
        // After a cancellation, or while the reader is busy, the update is still due.
        let wasNotTried = isCancelled || response.status.status?.concernsPayment == false
        return [wasNotTried ? .readerErrorReported : .readerUpdateFailed]
    }

    mutating func deviceObservation() throws -> Observation {
        var details = try response.rest
        if try isNothingPending { details.append(Detail("pendingResult", "none")) }
        let names = try isUpdate ? updateEvents : [reportName]
        let report = try report(details)
        return Self.observation(
            names.map { DeviceEvent($0, report) },
            try response.details.reader,
            response.details.anomalies,
            response.context
        )
    }

    /// The observation for an SDK answer without any result.
    static func nothingPending(_ context: DocumentContext) -> Observation {
        let report = DeviceReport(details: [Detail("pendingResult", "none")], at: context.reportedTime)
        return observation([DeviceEvent(.commandAnswered, report)], nil, [], context)
    }

    static func observation(
        _ events: [DeviceEvent],
        _ reader: ReaderReference?,
        _ anomalies: [Anomaly],
        _ context: DocumentContext
    ) -> Observation {
        Observation(
            subject: .device(reader, events, anomalies),
            keys: [],
            identity: nil,
            occurredAt: context.reportedTime,
            policy: HandpointAdapter.policy
        )
    }
}
