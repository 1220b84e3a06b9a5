/// The tables of the guide, played in turns.
enum BridgePayTables {
    // Lines 313 to 319.
    static let tenders = [
        "CREDIT", "DEBIT", "GIFT", "LOYALTY", "EBT_CASH", "EBT_FOOD", "BANK_ACCOUNT_CHECKING", "BANK_ACCOUNT_SAVINGS",
        "SIGNATURE",
    ].map { "TENDER_TYPE_\($0)" }

    // Lines 389 to 394.
    static let industries = [
        "RETAIL", "RESTAURANT", "ECOMMERCE", "DIRECT_MARKETING", "LODGING", "HEALTHCARE",
    ].map { "TRANSACTION_INDUSTRY_TYPE_\($0)" }

    // Lines 482 to 489.
    static let terminals = [
        "INGENICO_BLUETOOTH", "INGENICO_IP", "MAGTEK_IDYNAMO", "IDTECH_SHUTTLE", "IDTECH_UNIPAYIII",
        "IDTECH_UNIPAY_BT", "BBPOS_CHIPPER2", "BBPOS_WISEPAD2",
    ].map { "TERMINAL_TYPE_\($0)" }

    // The tables of AVS and CV responses in the appendix.
    static let addresses = [
        "00", "40", "43", "44", "45", "46", "47", "4A", "4D", "4E", "4F", "53", "55", "5C", "5F", "70", "73", "7C",
        "7F",
        "80",
    ]
    static let securityCodes = ["M", "N", "P", "S", "U", "X"]

    // Lines 598 and 1974 to 1996.
    static let taxes = ["P", "N", "E"]
    static let messages = ["00.", "02.", "03.", "04.", "05."]

    /// The table of errors, lines 2274 to 2352, and the two codes of the samples.
    static let errors: [(code: String, text: String, meaning: CodeMeaning)] = [
        ("2", "Invalid payment request", .failed), ("6", "Card failed to read", .cancelled),
        ("E1001", "Invalid invoice number.", .failed), ("E1002", "Invalid amount.", .failed),
        ("E1003", "Invalid username.", .failed), ("E1004", "Invalid password.", .failed),
        ("E1005", "Invalid merchant code.", .failed), ("E1006", "Invalid merchant account code.", .failed),
        ("E1007", "Invalid tender type.", .failed), ("E1008", "Invalid transaction type.", .failed),
        ("E1009", "Invalid payment request", .failed), ("E1010", "Invalid reference number.", .failed),
        ("E1011", "No network connection.", .unclear), ("E1012", "Device not found.", .failed),
        // The answer came and could not be read.
        ("E1013", "Xml deserialization error.", .unknown), ("E1014", "Xml serialization error.", .failed),
        ("E1015", "Xml base64 encode error.", .failed), ("E1016", "Xml base64 decode error.", .unknown),
        ("E1017", "Unable to process transaction.", .unknown), ("E1018", "Unable to process transaction.", .unknown),
        ("E1019", "Transaction cancelled. Device TimedOut.", .cancelled),
        ("E1020", "Transaction cancelled.", .cancelled),
    ]

    enum Special: CaseIterable {
        case cancelledAnswer, token, found, password, merchantInfo
    }

    enum Turn {
        /// An approved sale with the values of this index.
        case sale(Int)
        case error(Int)
        case special(Special)
    }

    static let turns: [Turn] =
        addresses.indices.map { .sale($0) } + errors.indices.map { .error($0) } + Special.allCases.map { .special($0) }
}
