import Access
import Canonical
import Composition
import EventLog
import HTTPEdge
import HTTPTypes
import Intake
import Logging
import Operations
import Payments
import Projections

extension API {
    func addReceipts(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/transactions/{id}/receipt") { try await receipt($0) }
        router.on(.get, "/v1/transactions/{id}/receipt/reader") { try await readerReceipts($0) }
        router.on(.post, "/v1/transactions/{id}/receipt/prints") { try await printed($0) }
    }

    /// The form of a receipt.
    private struct Form {
        var copy: ReceiptCopy
        var width: Int
        var tipLine: Bool

        init(_ query: inout ParameterReader) throws(Refusal) {
            copy = try query.choice("copy", of: ReceiptCopy.self) ?? .customer
            let widths = Int64(ReceiptText.widths.lowerBound)...Int64(ReceiptText.widths.upperBound)
            width = try query.integer("width", in: widths).map(Int.init) ?? 42
            tipLine = try query.flag("tip_line") ?? false
        }

        /// The part of the entity tag that the form and the merchant's zone determine.
        func tag(_ type: String, in zone: Zone?) -> String {
            let tip = tipLine ? "-tip" : ""
            let form =
                switch type {
                case "text/plain": "text\(width)-\(copy.rawValue)\(tip)"
                case "text/html": "html-\(copy.rawValue)\(tip)"
                default: copy.rawValue
                }
            return "\(form)-\((zone ?? .utc).name)"
        }

        /// The text or page.
        func response(_ type: String, _ receipt: Receipt) -> EdgeResponse {
            guard type == "text/html" else {
                return .text(ReceiptText.render(receipt, copy: copy, width: width, tipLine: tipLine))
            }
            var page = EdgeResponse.text(
                ReceiptPage.render(receipt, copy: copy, tipLine: tipLine),
                type: "text/html; charset=utf-8"
            )
            page.fields[.contentSecurityPolicy] = ReceiptPage.contentSecurityPolicy
            return page
        }
    }

    /// The receipts of the reader or its vendor, from the log itself.
    private func readerReceipts(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        try request.query.finish()
        guard let found = try await ledger.readerReceipts(of: id, tenant: principal.tenant) else {
            throw Problem.notFound
        }
        return try .document(found)
    }

    private func receipt(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        var query = request.query
        let form = try Form(&query)
        let moment = try Moment(&query)
        try await waitForWrites(&query, in: ReceiptQuery.readModels, isAboutOne: moment == nil)
        try query.finish()
        let stored =
            if let moment {
                try await ledger.receipt(of: id, tenant: principal.tenant, at: moment).map { try StoredReceipt($0) }
            } else {
                try await ledger.payments.receipts.stored(of: id, tenant: principal.tenant)
            }
        guard let stored else { throw Problem.notFound }
        return try await answer(request, stored, form)
    }

    private func answer(_ request: Request, _ stored: StoredReceipt, _ form: Form) async throws -> EdgeResponse {
        let tenant = try principal(request, .read).tenant
        let type = try request.negotiate([Self.document, "text/plain", "text/html"])
        let tag = form.tag(type, in: stored.zone)
        let epoch = ledger.log.logGuard.epoch?.number
        let key = KeptReceipts.Key(
            tenant: tenant,
            epoch: epoch,
            json: stored.json,
            form: "\(type) \(tag)\(stored.zone == nil ? " assumed" : "")"
        )
        var response: EdgeResponse
        if let kept = receipts.answer(key) {
            response = try versioned(request, stored.version, with: kept.tag) { kept.response }
        } else if type == Self.document {
            let document = try ReceiptDocument(stored)
            let proof = try await proof(of: document, request, tenant)
            // The proof is added once and never changes, so a receipt with a proof has another tag.
            let tag = tag + (proof.map { "-c\($0.checkpoint.size)" } ?? "")
            response = try versioned(request, stored.version, with: tag) {
                let response = EdgeResponse.json(try document.json(form.copy, proof: proof))
                if proof != nil { receipts.keep(.init(tag: tag, response: response), for: key) }
                return response
            }
        } else {
            response = try versioned(request, stored.version, with: tag) {
                let response = form.response(type, try stored.receipt())
                receipts.keep(.init(tag: tag, response: response), for: key)
                return response
            }
        }
        response.fields[.vary] = "Accept"
        return response
    }

    private static let document = "application/json"

    /// The proof that the log contains the last event of the receipt; nil while no checkpoint covers it. If the log
    /// contradicts itself, the receipt is answered without a proof.
    private func proof(
        of receipt: ReceiptDocument,
        _ request: Request,
        _ tenant: String
    ) async throws -> EventProof? {
        guard let version = receipt.version else { return nil }
        let id = try transactionID(request)
        let stream = StreamName.transaction(id)
        func isLast(_ event: RecordedEvent) -> Bool {
            event.tenant == tenant && event.stream == stream && event.version == version
        }
        let evidence = ledger.evidence
        do {
            // An error is about another event, or comes again when the stream is read.
            if let position = receipt.position, let found = try? await evidence.coveredEvent(at: position),
                isLast(found.event)
            {
                return try await evidence.proof(of: found)
            }
            // It is archived, or the receipt does not name its position.
            let last = try await ledger.reader.stream(stream, of: tenant, from: version, limit: 1).first
            guard let last, isLast(last) else { return nil }
            return try await evidence.proof(of: last)
        } catch let fault as EvidenceFault {
            request.logger.error("a receipt has no proof", metadata: ["reason": "\(fault)", "transaction": "\(id)"])
            return nil
        }
    }

    /// Records that a copy was printed, so that the next copy is marked as a reprint.
    private func printed(_ request: Request) async throws -> EdgeResponse {
        let principal = try authorized(request)
        let id = try transactionID(request)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let order = try PrintReceipt(reading: try await Self.storableJSON(request))
        let issued = try await ledger.intake.recorder.issueReceipt(
            order.copy,
            of: id,
            reason: order.reason,
            idempotencyKey: key,
            sender: Sender(tenant: principal.tenant, actor: principal.actor, correlation: request.id)
        )
        guard let issued else { throw Problem.notFound }
        var response = try EdgeResponse.document(PrintedReceiptJSON(issued), status: .created)
        response.fields[.daybookPosition] = String(issued.position)
        if issued.isDuplicate { response.fields[.idempotencyReplayed] = "true" }
        return response
    }
}
