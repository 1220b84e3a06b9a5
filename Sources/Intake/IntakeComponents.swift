package import EventLog
import Vendors

/// How documents, events and commands about payments enter the log.
package struct IntakeComponents: Sendable {
    /// Ingests the documents of vendors.
    package let documents: DocumentIntake
    /// Ingests events in the ledger's own form.
    package let events: EventIntake
    /// The commands with which operators acknowledge anomalies.
    package let anomalies: AnomalyCommands
    /// The commands with which operators describe merchants: their zone and the start of their day.
    package let merchants: MerchantCommands
    /// Changes that two operators make.
    package let proposals: Proposals
    /// Records facts about payments.
    package let recorder: TransactionRecorder

    /// - Parameters:
    ///   - memory: Cleared when the log turns out to be another one.
    ///   - openPayments: Finds the payments that a reader's stored result may be of.
    ///   - storedResults: Finds the payments of which a reader's stored result is recorded.
    ///   - statementLines: Finds the statement lines that events name.
    package init(
        log: LogConnection,
        memory: PaymentMemory,
        openPayments: @escaping TransactionRecorder.PaymentsAtReader,
        storedResults: @escaping TransactionRecorder.StoredResults,
        statementLines: @escaping EventIntake.StatementLines
    ) {
        recorder = TransactionRecorder(
            sequencer: log.sequencer,
            reader: log.reader,
            ids: log.ids,
            clock: log.clock,
            memory: memory,
            openPayments: openPayments,
            storedResults: storedResults
        )
        documents = DocumentIntake(adapters: VendorAdapters.all, recorder: recorder)
        events = EventIntake(
            recorder: recorder,
            adapters: VendorAdapters.all,
            statementLines: statementLines
        )
        anomalies = AnomalyCommands(sequencer: log.sequencer, reader: log.reader, ids: log.ids, clock: log.clock)
        proposals = Proposals(sequencer: log.sequencer, reader: log.reader, ids: log.ids, clock: log.clock)
        merchants = MerchantCommands(sequencer: log.sequencer, reader: log.reader, ids: log.ids, clock: log.clock)
    }
}
