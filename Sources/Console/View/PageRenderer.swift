import Mustache

/// Fills the templates that are built in.
struct PageRenderer: Sendable {
    struct MissingTemplate: Error {}

    /// The templates by name, as they are written in `Templates`.
    static let sources: [(name: String, bytes: [UInt8])] = [
        ("anomalies", PackageResources.anomalies_mustache), ("anomaly", PackageResources.anomaly_mustache),
        ("batch", PackageResources.batch_mustache), ("duplicates", PackageResources.duplicates_mustache),
        ("inDoubt", PackageResources.inDoubt_mustache), ("doubt", PackageResources.doubt_mustache),
        ("batches", PackageResources.batches_mustache), ("cell", PackageResources.cell_mustache),
        ("checkout", PackageResources.checkout_mustache), ("checkouts", PackageResources.checkouts_mustache),
        ("describe", PackageResources.describe_mustache),
        ("event", PackageResources.event_mustache), ("events", PackageResources.events_mustache),
        ("facts", PackageResources.facts_mustache), ("filters", PackageResources.filters_mustache),
        ("field", PackageResources.field_mustache),
        ("layout", PackageResources.layout_mustache), ("merchant", PackageResources.merchant_mustache),
        ("merchants", PackageResources.merchants_mustache), ("pager", PackageResources.pager_mustache),
        ("past", PackageResources.past_mustache),
        ("problem", PackageResources.problem_mustache), ("reader", PackageResources.reader_mustache),
        ("readers", PackageResources.readers_mustache), ("search", PackageResources.search_mustache),
        ("signIn", PackageResources.signIn_mustache), ("statement", PackageResources.statement_mustache),
        ("statements", PackageResources.statements_mustache), ("system", PackageResources.system_mustache),
        ("table", PackageResources.table_mustache), ("today", PackageResources.today_mustache),
        ("transaction", PackageResources.transaction_mustache),
        ("transactions", PackageResources.transactions_mustache),
        ("reconciliation", PackageResources.reconciliation_mustache),
        ("exceptions", PackageResources.exceptions_mustache),
        ("exception", PackageResources.exception_mustache),
        ("rules", PackageResources.rules_mustache), ("run", PackageResources.run_mustache),
        ("working", PackageResources.working_mustache),
        ("periods", PackageResources.periods_mustache),
        ("period", PackageResources.period_mustache),
        ("closing", PackageResources.closing_mustache),
        ("replays", PackageResources.replays_mustache), ("replay", PackageResources.replay_mustache),
        ("planning", PackageResources.planning_mustache), ("history", PackageResources.history_mustache),
    ]

    private let library: MustacheLibrary

    /// - Throws: When a template cannot be read, which is a mistake of this build.
    init() throws {
        MustacheContentTypes.register(MarkupEscaping(), named: MarkupEscaping.name)
        var library = MustacheLibrary()
        for (name, bytes) in Self.sources {
            // Each begins with how its data is written, so that none can be forgotten.
            let text = "{{% CONTENT_TYPE:\(MarkupEscaping.name)}}" + String(decoding: bytes, as: UTF8.self)
            try library.register(text, named: name)
        }
        self.library = library
    }

    /// The page as bytes of HTML.
    func page(_ template: String, _ values: PageValue) throws -> [UInt8] {
        guard let text = library.render(values, withTemplate: template) else { throw MissingTemplate() }
        return Array(text.utf8)
    }
}
