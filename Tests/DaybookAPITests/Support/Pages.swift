import Operations

extension DocumentShapeTests {
    /// The pages of lists.
    static let pageTypes: [(String, any (Decodable & Sendable).Type)] = [
        ("AnomalyPage", PageJSON<AnomalyJSON>.self),
        ("BatchMemberPage", PastPageJSON<BatchMemberJSON>.self),
        ("BatchPage", PastPageJSON<BatchJSON>.self),
        ("CheckoutPage", PageJSON<CheckoutJSON>.self),
        ("DepositPage", PastPageJSON<TransferJSON>.self),
        ("DisputePage", PageJSON<DisputeJSON>.self),
        ("JournalExportPage", PastPageJSON<JournalExportJSON>.self),
        ("JournalPage", PastPageJSON<PostedLegJSON>.self),
        ("DoubtPage", DoubtPageJSON.self),
        ("DuplicatePage", PageJSON<DuplicateJSON>.self),
        ("EventPage", PageJSON<EventJSON>.self),
        ("ExceptionPage", PastPageJSON<ExceptionJSON>.self),
        ("MatchPage", PastPageJSON<MatchJSON>.self),
        ("MerchantPage", PageJSON<MerchantJSON>.self),
        ("PaidLinePage", PastPageJSON<PaidLineJSON>.self),
        ("PeriodChangePage", PeriodChangePageJSON.self),
        ("PeriodPage", PastPageJSON<PeriodJSON>.self),
        ("ReaderPage", PageJSON<ReaderJSON>.self),
        ("ReplayItemPage", PageJSON<ReplayItemJSON>.self),
        ("ReplayPage", PageJSON<ReplayJSON>.self),
        ("RunPage", PastPageJSON<RunJSON>.self),
        ("StatementControlPage", PageJSON<StatementControlJSON>.self),
        ("StatementLinePage", PageJSON<StatementLineJSON>.self),
        ("StatementPage", PastPageJSON<StatementJSON>.self),
        ("TransactionPage", PastPageJSON<TransactionJSON>.self),
    ]
}
