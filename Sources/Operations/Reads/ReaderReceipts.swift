package import Canonical
package import Composition
package import EventLog
import Intake
import Payments
import Projections

extension Ledger {
    /// The receipts that documents of a payment contain; nil if there is no such payment.
    ///
    /// - Throws: `no-reader-receipt` if no document contains one; errors of reading.
    package func readerReceipts(of id: UUID128, tenant: String) async throws -> ReaderReceiptsJSON? {
        let events = try await reader.stream(StreamName.transaction(id), of: tenant)
        guard !events.isEmpty else { return nil }
        let receipts = try ReaderReceiptsJSON.receipts(in: events)
        guard !receipts.isEmpty else { throw Refusal.noReaderReceipt }
        return ReaderReceiptsJSON(transaction: id, receipts: receipts)
    }
}

extension ReaderReceiptsJSON {
    /// The receipts in the events of a payment, compared with the payment that the events give.
    ///
    /// - Throws: An error for an event that cannot be read.
    package static func receipts(in events: [RecordedEvent]) throws -> [ReaderReceiptJSON] {
        var found: [(RecordedEvent, copy: String?, text: String)] = []
        for event in events {
            let name = DeviceEventName(rawValue: event.type)
            guard name == .receiptPrinted || name == .signatureRequested else { continue }
            let data = try JSONValue(parsing: event.data.utf8)
            let report = try DeviceEvent(type: event.type, schema: event.schema, data: data).report
            let details = report.details ?? []
            // The fields of a report without a receipt are those of its progress.
            let hasFields = name == .receiptPrinted && report.receipt != nil
            guard let text = Self.text(of: details, isPrinted: name == .receiptPrinted, hasFields: hasFields) else {
                continue
            }
            found.append((event, details.first { $0.name == "copy" }?.value, text))
        }
        guard !found.isEmpty else { return [] }
        let state = try TransactionState(folding: events.map(TransactionEvent.init))
        return found.map { event, copy, text in
            ReaderReceiptJSON(
                copy: copy,
                event: event.type,
                position: event.position,
                recordedAt: event.recordedAt,
                text: text,
                differences: state.differences(from: text)
            )
        }
    }

    /// The text of a receipt: as the vendor sends it, or line by line if the vendor sends the fields; nil if the report
    /// has neither.
    private static func text(of details: [Detail], isPrinted: Bool, hasFields: Bool) -> String? {
        if let text = details.first(where: { $0.name == (isPrinted ? "text" : "receipt") })?.value { return text }
        guard hasFields else { return nil }
        let lines = details.filter { $0.name != "copy" }.map { "\($0.name): \($0.value)" }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }
}

extension TransactionState {
    /// The fields that a receipt states plainly, and otherwise than the ledger has them. An amount that any part of the
    /// payment has is no difference: a receipt may be that of a capture or a refund. If the payment has a follow-up,
    /// time and code are not compared, for its receipt has its own; nor is the amount if a part is voided.
    fileprivate func differences(from text: String) -> [ReaderReceiptJSON.Difference] {
        let printed = PrintedFields(text, in: currency)
        var found: [ReaderReceiptJSON.Difference] = []
        let amounts =
            [requested, headlineAmount, hasApproval ? authorized : nil, authorization.approved].compactMap(\.self)
            + captures.map(\.amount) + refunds.map(\.amount) + tenders.entries.map(\.amount)
        let isVoided = isVoidedOrReversed || captures.contains { $0.voided > 0 }
        if !isVoided, let currency, let recorded = headlineAmount, let amount = printed.amount,
            !amounts.contains(amount)
        {
            let (one, other) = (Money(amount, currency), Money(recorded, currency))
            found.append(.init(field: .amount, printed: one.description, recorded: other.description))
        }
        let hasFollowUp = isVoided || captures.count > 1 || !refunds.isEmpty || !tenders.entries.isEmpty
        if !hasFollowUp, let time = printed.time, let local = times.earliest.local {
            let recorded = String(local.description.dropFirst(11).prefix(5))
            if recorded != time { found.append(.init(field: .time, printed: time, recorded: recorded)) }
        }
        if let lastFour = printed.lastFour, let recorded = card?.lastFour, lastFour != recorded {
            found.append(.init(field: .lastFour, printed: lastFour, recorded: recorded))
        }
        if !hasFollowUp, let code = printed.authorizationCode, let recorded = references.authorizationCode,
            code.lowercased() != recorded.lowercased()
        {
            found.append(.init(field: .authorizationCode, printed: code, recorded: recorded))
        }
        return found
    }
}

extension Refusal {
    static let noReaderReceipt = Refusal(
        kind: .notFound,
        code: "no-reader-receipt",
        title: "No document of the payment contains a printed receipt"
    )
}
