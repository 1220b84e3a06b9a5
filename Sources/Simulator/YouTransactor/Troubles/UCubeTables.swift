/// The tables of the document: states, lines 231 to 262; statuses, lines 343 to 362; types, lines 141 to 146.
enum UCubeTables {
    static let before = [
        "startCancelAll", "startExitSecureSession", "getInfo", "enterSecureSession", "ksnAvailable", "startTransaction",
        "cardReadEnd",
    ]
    static let chip = [
        "smcBuildCandidateList", "smcSelectApplication", "smcUserSelectApplication", "smcInitTransaction",
        "smcRiskManagement", "smcProcessTransaction", "smcGetAuthorizationSecuredTags", "smcGetAuthorizationPlainTags",
    ]
    static let contactless = [
        "nfcGetAuthorizationSecuredTags", "nfcGetAuthorizationPlainTags", "nfcSimplifiedOnlinePin",
    ]
    static let after = [
        "nfcCompleteTransaction", "smcFinalizeTransaction", "smcRemoveCard", "getFinalizationSecuredTags",
        "getFinalizationPlainTags", "getCCL2Log", "getF4L2Log", "getF5L2Log", "endExitSecureSession",
    ]

    /// The statuses of a payment that ends before the host is contacted.
    static let failures: [(status: String, meaning: CodeMeaning)] = [
        ("cancelled", .cancelled), ("cardWaitFailed", .failed), ("unsupportedCard", .failed),
        ("nfcOutcomeTryOtherInterface", .failed), ("nfcOutcomeEndApplication", .failed), ("nfcOutcomeFailed", .failed),
        ("error", .failed), ("errorDisconnect", .failed), ("errorShuttingDown", .failed),
        ("errorWrongActivatedReader", .failed), ("errorMissingRequiredCryptogram", .failed),
        ("errorWrongCryptogramValue", .failed), ("errorWrongNfcOutcome", .failed),
    ]

    enum Turn {
        case failure(Int)
        /// The host was contacted, and the end has no status.
        case silence
        case type(UCubeForms.Kind)
    }

    static let turns: [Turn] =
        failures.indices.map { .failure($0) } + [.silence]
        + [UCubeForms.Kind.purchase, .withdrawal, .refund, .purchaseCashback, .manualCash, .inquiry].map { .type($0) }
}
