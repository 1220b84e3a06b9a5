package import Access
import Canonical
package import Composition
import EventLog
package import HTTPEdge
import HTTPTypes
package import Logging
import Operations
import Redaction

extension Principal: EdgePrincipal {
    package var logIdentifier: String { "\(tenant)/\(keyID)" }
}

/// The HTTP API of the ledger: routes and authentication.
package struct API: Sendable {
    package typealias Request = EdgeRequest<Principal>

    let ledger: Ledger
    let logger: Logger
    let readiness: Readiness
    let metrics: @Sendable () -> String
    let uploads: UploadPlaces
    let receipts = KeptReceipts()

    /// - Parameters:
    ///   - readiness: Whether the process accepts traffic.
    ///   - metrics: The Prometheus text of `/metrics`.
    ///   - uploads: The most statements that are imported at a time.
    package init(
        ledger: Ledger,
        readiness: Readiness,
        logger: Logger,
        metrics: @escaping @Sendable () -> String,
        uploads: Int = 4
    ) {
        self.ledger = ledger
        self.readiness = readiness
        self.logger = logger
        self.metrics = metrics
        self.uploads = UploadPlaces(uploads)
        ledger.log.logGuard.onNewEpoch { [receipts] in receipts.clear() }
    }

    /// Makes the edge refuse request ids with card numbers: ids are logged, returned, and stored as the correlation of
    /// events.
    package static func prepare(_ configuration: inout EdgeConfiguration) {
        configuration.acceptsRequestID = { TextScrubber().scrub($0).text == $0 }
    }

    /// The routes.
    ///
    /// - Parameter others: Other routes, with their own authentication.
    package func router(beside others: EdgeRouter<Principal> = EdgeRouter()) -> EdgeRouter<Principal> {
        var router = others
        addHealth(to: &router)
        addDescription(to: &router)
        router.use { request, next in
            try await Self.mapping {
                try await ledger.inPresentEpoch {
                    var response = try await next(request)
                    // A duplicate request gets the position of the first record, which another server may have
                    // appended.
                    if let position = response.fields[.daybookPosition].flatMap({ Int64($0) }) {
                        ledger.appended.reached(position)
                        // The request itself may have noticed a new epoch.
                        let epoch = ledger.log.logGuard.epoch?.number ?? Cursor.epoch
                        response.fields[.daybookPosition] = EpochPosition(epoch: epoch, position: position).text
                    }
                    return response
                }
            }
        }
        router.use(authenticate)
        addLists(to: &router)
        addIntake(to: &router)
        addAppends(to: &router)
        addTransactions(to: &router)
        addReceipts(to: &router)
        addBatches(to: &router)
        addDays(to: &router)
        addAnomalies(to: &router)
        addDoubts(to: &router)
        addProposals(to: &router)
        addSearch(to: &router)
        addMerchants(to: &router)
        addReaders(to: &router)
        addCheckouts(to: &router)
        addStatements(to: &router)
        addReconciliations(to: &router)
        addRules(to: &router)
        addExceptions(to: &router)
        addDisputes(to: &router)
        addDeposits(to: &router)
        addPeriods(to: &router)
        addExports(to: &router)
        addChart(to: &router)
        addReports(to: &router)
        addReplays(to: &router)
        addEvents(to: &router)
        addEvidence(to: &router)
        addProjections(to: &router)
        return router
    }
}
