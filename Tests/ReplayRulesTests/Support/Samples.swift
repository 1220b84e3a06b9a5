import Canonical
import Payments
import ReplayRules
import Testing

/// 2026-11-02T12:00:00Z: the time at which the payments of these tests were sent.
let sentAt = Timestamp(microsecondsSince1970: 1_793_620_800_000_000)

extension Timestamp {
    func after(_ seconds: Int64) -> Timestamp { adding(microseconds: seconds * 1_000_000) }
}

let day: Int64 = 86_400

private let plainBook = Result { try RuleBook(asOf: sentAt) }

func standardBook(_ overrides: [String] = []) throws -> RuleBook {
    try overrides.isEmpty ? plainBook.get() : RuleBook(asOf: sentAt, overriding: overrides)
}

/// A sale that was sent once, at `sentAt`, and declined a second later, at a gateway with a short duplicate window.
func declinedSale(
    answer: String? = nil,
    codes: [AnswerCode] = [],
    advice: String? = nil,
    message: String? = nil,
    vendor: Vendor? = .bridgepay,
    scheme: CardScheme? = nil,
    outcome: Outcome = .declined,
    status: TransactionStatus = .declined
) -> PaymentEvidence {
    PaymentEvidence(
        wanted: ReplayRequest(.sale, amount: Money(1000, .usd)),
        vendor: vendor,
        gateway: "braintree",
        scheme: scheme,
        balance: PaymentBalance(status: status, currency: .usd),
        answers: [
            AnswerEvidence(
                position: 2,
                at: sentAt.after(1),
                operation: .sale,
                by: .gateway,
                outcome: outcome,
                codes: codes,
                answer: answer,
                advice: advice,
                message: message
            )
        ],
        attempts: [AttemptEvidence(position: 1, at: sentAt, operation: .sale)]
    )
}

/// A captured sale of 10.00 with a declined follow-up.
func capturedSale(
    wanting request: ReplayRequest,
    answer: String? = "91",
    vendor: Vendor? = .handpoint,
    isSettled: Bool = false
) -> PaymentEvidence {
    PaymentEvidence(
        wanted: request,
        vendor: vendor,
        gateway: "braintree",
        balance: PaymentBalance(
            status: isSettled ? .settled : .captured,
            currency: .usd,
            authorized: 1000,
            captured: 1000,
            tip: isSettled ? nil : 100,
            hasOpenCapture: !isSettled,
            hasSettledCapture: isSettled,
            approvedAt: sentAt,
            capturedAt: sentAt
        ),
        answers: [
            AnswerEvidence(
                position: 5,
                at: sentAt.after(61),
                operation: request.operation,
                by: .gateway,
                outcome: .declined,
                answer: answer
            )
        ],
        attempts: [
            AttemptEvidence(position: 1, at: sentAt, operation: .sale),
            AttemptEvidence(position: 4, at: sentAt.after(60), operation: request.operation),
        ]
    )
}
