extension HandpointAdapter {
    /// By status id; document 002, lines 1367 to 1417.
    package func remedy(of error: String) -> String? { Self.remedies[error.uppercased()] }

    /// A result that was fetched later is reported as a recovered transaction: document 002, lines 1297 and 1298.
    package var pendingResultRemedy: String? {
        "Connect the app to the reader and recover the pending result before charging again: it has the outcome."
    }

    private static let support = "If it persists, call support with the reader's logs."
    private static let verify =
        "Find out whether the sale or refund went through before charging again: call support."
    private static let network = "Check the internet connection of the phone and retry. \(support)"
    private static let card = "Retry, then try another card. If it persists, the reader may need to be replaced."

    private static let remedies: [String: String] = [
        "0002": "Retry. \(support)",
        "0003": "Retry. \(support)",
        "0004": "Wait until the reader has finished its operation, and retry.",
        "0005": "Retry after the reader has restarted with its pending update.",
        "0006": "Retry the update. \(support)",
        "0007": "Retry the update. \(support)",
        "0008": verify,
        "0009": verify,
        "000A": "Set the log level, repeat the operation, and fetch the logs again.",
        "000C": "Choose a currency that the reader is configured for, or ask support to add it.",
        "000D": "Call support: the reader's host configuration is invalid.",
        "000E": "Retry. If it persists, call support with the logs: the reader may need to be replaced.",
        "000F": card,
        "0010": card,
        "001D": "Enter the right shared secret in the app. Until then the reader makes no payments.",
        "0026": "Use another card: this one is not allowed for the operation.",
        "0028": "Use another card: this one is blocked.",
        "0029": network,
        "002A": network,
        "002B": network,
        "002C": verify,
        "002F": "This reader has no scanner.",
        "0031": "Charge the reader.",
    ]
}
