import Payments

/// The sources' tables again: a row that is missing in the adapter fails a test.
enum PaydiantTables {
    /// Each call, its blocks and the key of its messages. Source: Paydiant SDK for iOS, transaction module.
    static let calls: [(call: String, completion: String?, failure: String?, domain: String?)] = [
        (
            "obtainCheckoutTokenFor", "ObtainCheckoutTokenCompletionBlock", "ObtainCheckoutTokenFailureBlock",
            "kUserErrorObtainCheckoutTokenDomain"
        ),
        (
            "releaseCheckoutToken", "ReleaseCheckoutTokenCompletionBlock", "ReleaseCheckoutTokenFailureBlock",
            "kUserErrorReleaseCheckoutTokenDomain"
        ),
        (
            "retrieveTransactionMetaData", "RetriveTransactionMetaDataCompletionBlock",
            "RetriveTransactionMetaDataFailureBlock", "kUserErrorRetriveTransactionMetaDataDomain"
        ),
        (
            "updateTransaction", "UpdateTransactionCompletionBlock", "UpdateTransactionFailureBlock",
            "kUserErrorUpdateTransactionDomain"
        ),
        (
            "retrieveTransactionInformation", "RetrieveTransactionInformationCompletionBlock",
            "RetrieveTransactionInformationFailureBlock", "kUserErrorRetrieveTransactionInformationDomain"
        ),
        (
            "paymentWith", "SplitTenderPaymentCompletionBlock", "SplitTenderPaymentTransactionFailureBlock",
            "kUserErrorPaymentProcessorDomain"
        ),
        (
            "submitATMCashAccessAmount", "SubmitCashAccessAmountCompletionBlock", "SubmitCashAccessAmountFailureBlock",
            "kUserErrorCashAccessProcessorDomain"
        ),
        ("generateAccessCode", nil, nil, nil),
        (
            "cancelTransactionUsingToken", "CancelTransactionCompletionBlock", "CancelTransactionFailureBlock",
            "kUserErrorCancelTransactionDomain"
        ),
    ]

    /// One status code of one call, and its event.
    struct Row: Sendable, CustomStringConvertible {
        let failure: String
        let code: Int
        let event: String

        init(_ failure: String, _ code: Int, _ event: String) {
            self.failure = failure
            self.code = code
            self.event = event
        }

        var description: String { "\(failure) \(code)" }
    }

    /// Every row of every error table, in the document's order.
    static let errors: [Row] =
        rows("ObtainCheckoutTokenFailureBlock", [400, 403, 500], "CommandAnswered")
        + rows("ReleaseCheckoutTokenFailureBlock", [400, 403, 419, 500], "CheckoutFailed")
        + rows("RetriveTransactionMetaDataFailureBlock", [400, 403, 417, 500, 503, 508], "CheckoutFailed")
        + tokenRows("RetriveTransactionMetaDataFailureBlock")
        + rows("UpdateTransactionFailureBlock", declines + refusals, "TenderRefused")
        + rows("UpdateTransactionFailureBlock", doubts, "OutcomeUnknown")
        + rows("UpdateTransactionFailureBlock", [406], "TenderRefused")
        + rows("UpdateTransactionFailureBlock", [409], "CheckoutTokenInUse")
        + rows("UpdateTransactionFailureBlock", [416], "Cancelled")
        + rows("RetrieveTransactionInformationFailureBlock", [400, 403, 417, 419, 500, 503, 508], "CheckoutFailed")
        + tokenRows("RetrieveTransactionInformationFailureBlock")
        + rows("SplitTenderPaymentTransactionFailureBlock", declines + refusals + [404], "TenderRefused")
        + rows("SplitTenderPaymentTransactionFailureBlock", doubts, "OutcomeUnknown")
        + rows("SplitTenderPaymentTransactionFailureBlock", [406], "TenderRefused")
        + rows("SplitTenderPaymentTransactionFailureBlock", [409], "CheckoutTokenInUse")
        + rows("SplitTenderPaymentTransactionFailureBlock", [416], "Cancelled")
        + rows("SubmitCashAccessAmountFailureBlock", [400, 403, 405, 423, 510], "TenderRefused")
        + rows("SubmitCashAccessAmountFailureBlock", [500, 501], "OutcomeUnknown")
        + rows("CancelTransactionFailureBlock", [400, 403, 419, 500], "CheckoutFailed")

    private static let declines = [400, 402, 405, 504, 505, 507]
    private static let refusals = [403, 410, 414, 419, 420, 421, 423, 503, 506, 508, 510]
    private static let doubts = [417, 422, 500, 501, 502]

    private static func rows(_ failure: String, _ codes: [Int], _ event: String) -> [Row] {
        codes.map { Row(failure, $0, event) }
    }

    private static func tokenRows(_ failure: String) -> [Row] {
        [
            Row(failure, 406, "CheckoutTokenBlocked"), Row(failure, 409, "CheckoutTokenInUse"),
            Row(failure, 416, "Cancelled"),
        ]
    }

    /// The number of codes in each table.
    static let counts = [
        "ObtainCheckoutTokenFailureBlock": 3, "ReleaseCheckoutTokenFailureBlock": 4,
        "RetriveTransactionMetaDataFailureBlock": 9, "UpdateTransactionFailureBlock": 25,
        "RetrieveTransactionInformationFailureBlock": 10, "SplitTenderPaymentTransactionFailureBlock": 26,
        "SubmitCashAccessAmountFailureBlock": 7, "CancelTransactionFailureBlock": 4,
    ]

    /// One payment code, its event for a payment without further information, and whether it is in the tables.
    struct PaymentRow: Sendable, CustomStringConvertible {
        let code: Int
        let event: String
        let isKnown: Bool

        init(_ code: Int, _ event: String, isKnown: Bool = true) {
            self.code = code
            self.event = event
            self.isKnown = isKnown
        }

        var description: String { "\(code)" }
    }

    /// Every code that has a name, and the first and last of every range. Sources: PayPal white-label wallet, iOS
    /// response handling, B2B customer care, fuel and mobile transaction status codes.
    static let payments: [PaymentRow] = [
        PaymentRow(200, "TenderApplied"), PaymentRow(201, "TenderRefused"), PaymentRow(202, "TenderApplied"),
        PaymentRow(203, "TenderRefused"), PaymentRow(204, "TenderApplied"),
        PaymentRow(209, "OutcomeUnknown", isKnown: false), PaymentRow(210, "TenderApplied"),
        PaymentRow(211, "TenderRefused"), PaymentRow(212, "TenderApplied"),
        PaymentRow(219, "OutcomeUnknown", isKnown: false), PaymentRow(220, "TenderApplied"),
        PaymentRow(229, "OutcomeUnknown", isKnown: false), PaymentRow(230, "CreditApproved"),
        PaymentRow(231, "OutcomeUnknown"), PaymentRow(239, "OutcomeUnknown", isKnown: false),
        PaymentRow(240, "TenderRefused"), PaymentRow(241, "TenderRefused"), PaymentRow(242, "OutcomeUnknown"),
        PaymentRow(249, "OutcomeUnknown", isKnown: false), PaymentRow(250, "TenderRefused"),
        PaymentRow(299, "TenderRefused"), PaymentRow(340, "OutcomeUnknown", isKnown: false),
        PaymentRow(344, "OutcomeUnknown", isKnown: false),
        PaymentRow(345, "OutcomeUnknown", isKnown: false), PaymentRow(369, "OutcomeUnknown", isKnown: false),
        PaymentRow(370, "TenderRefused"),
        PaymentRow(379, "OutcomeUnknown", isKnown: false), PaymentRow(380, "OutcomeUnknown", isKnown: false),
        PaymentRow(389, "OutcomeUnknown", isKnown: false),
        PaymentRow(500, "TenderRefused"), PaymentRow(502, "TenderRefused"), PaymentRow(505, "TenderRefused"),
        PaymentRow(510, "TenderRefused"), PaymentRow(549, "TenderRefused"), PaymentRow(550, "TenderRefused"),
        PaymentRow(599, "TenderRefused"), PaymentRow(600, "OutcomeUnknown", isKnown: false),
        PaymentRow(619, "OutcomeUnknown", isKnown: false), PaymentRow(620, "OutcomeUnknown", isKnown: false),
        PaymentRow(639, "OutcomeUnknown", isKnown: false), PaymentRow(798, "TenderRefused"),
        // In no range.
        PaymentRow(199, "OutcomeUnknown", isKnown: false), PaymentRow(417, "OutcomeUnknown", isKnown: false),
        PaymentRow(640, "OutcomeUnknown", isKnown: false), PaymentRow(-1, "OutcomeUnknown", isKnown: false),
    ]
}
