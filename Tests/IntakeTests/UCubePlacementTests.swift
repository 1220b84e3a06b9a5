import Canonical
import DaybookTestKit
import Intake
import Payments
import Testing

/// The payments that the app's reference leads to for uCube, whose SDK names no payment.
@Suite struct UCubePlacementTests {
    /// `pay.didFinish` of 12.50 EUR.
    private func finished(_ status: String, random: String, host: String? = nil) -> JSONValue {
        var context: JSONObject = [
            "amount": 1250, "currency": ["label": "EUR", "code": 978, "exponent": 2], "transactionType": "purchase",
            "uCubeInfo": "C3083331343230303737", "paymentStatus": .string(status),
            "authorizationPlainTags": [79],
            "finalizationPlainTagsValues": ["9A": "260302", "9F36": "0021", "9F37": .string(random)],
        ]
        if let host { context["authorizationResponse"] = .string(host) }
        return ["success": .bool(status == "approved"), "paymentContext": .object(context)]
    }

    @Test func twoChargesUnderOneReferenceOfTheAppBothCount() async throws {
        try await withIntake { intake, log in
            var streams: [String] = []
            for random in ["9A8B7C6D", "11223344"] {
                let body = finished("approved", random: random, host: "8A023030")
                let answer = try await intake.submit("youtransactor", "pay.didFinish", body, transaction: "order-7")
                #expect(try await log.payment(answer.stream).captured == 1250)
                streams.append(answer.stream)
            }
            #expect(Set(streams).count == 2)
        }
    }

    private func reported(_ documents: [(kind: String, body: JSONValue)], hostFirst: Bool) async throws
        -> TransactionState
    {
        try await withIntake { intake, log in
            var stream = ""
            for (kind, body) in hostFirst ? documents : documents.reversed() {
                stream = try await intake.submit("youtransactor", kind, body, transaction: "order-7").stream
            }
            return try await log.payment(stream)
        }
    }

    @Test(arguments: [true, false], ["declined", "cancelled"])
    func aHostApprovalWithoutACompletionIsDueForReversal(hostFirst: Bool, status: String) async throws {
        let state = try await reported(
            [
                ("AuthorizationTask", ["authorizationResponse": "8A023030"]),
                ("pay.didFinish", finished(status, random: "9A8B7C6D")),
            ],
            hostFirst: hostFirst
        )
        #expect(state.status == .inDoubt && state.captured == 0)
        #expect(state.anomalies.map(\.kind) == [.reversalDue])
    }

    @Test(arguments: [true, false])
    func aCompletedPaymentIsNotDueForReversal(hostFirst: Bool) async throws {
        let state = try await reported(
            [
                ("AuthorizationTask", ["authorizationResponse": "8A023030"]),
                ("pay.didFinish", finished("approved", random: "9A8B7C6D", host: "8A023030")),
            ],
            hostFirst: hostFirst
        )
        #expect(state.status == .captured && state.captured == 1250 && state.anomalies.isEmpty)
    }

    @Test func reportsOfHostAndTerminalAreOnePayment() async throws {
        let asked: JSONValue = [
            "authorizationResponse": "8A023030",
            "paymentContext": [
                "amount": 1250, "currency": ["label": "EUR", "code": 978, "exponent": 2],
                "transactionType": "purchase",
                "authorizationPlainTagsValues": [
                    "9A": "260302", "9F36": "0021", "9F37": "9A8B7C6D", "9F1E": "3132333435363738",
                ],
            ],
        ]
        let state = try await reported(
            [
                ("AuthorizationTask", asked),
                ("pay.didFinish", finished("approved", random: "9A8B7C6D", host: "8A023030")),
            ],
            hostFirst: true
        )
        #expect(state.status == .captured && state.captured == 1250 && state.authorized == 1250)
        #expect(state.anomalies.isEmpty)
    }

    /// Otherwise its outcome would never be known.
    @Test func aRequestWithoutAReferenceCreatesNoPayment() async throws {
        try await withIntake { intake, _ in
            let body: JSONValue = [
                "amount": 1250, "currency": ["label": "EUR", "code": 978, "exponent": 2],
                "transactionType": "purchase",
            ]
            let answer = try await intake.submit("youtransactor", "UCubePaymentRequest", body)
            #expect(!answer.stream.hasPrefix("transaction/") && answer.types.contains("CommandSent"))
            let error: JSONValue = [
                "domain": "com.bridgepaynetwork.PayGuardian", "code": 6,
                "BPNPaymentRequest": [
                    "amount": "7.50", "tenderType": "TENDER_TYPE_CREDIT", "transactionType": "TRANSACTION_TYPE_SALE",
                ],
            ]
            let failed = try await intake.submit("bridgepay", "NSError", error)
            #expect(!failed.stream.hasPrefix("transaction/") && failed.types.contains("ReaderErrorReported"))
            let named = try await intake.submit("bridgepay", "NSError", error, transaction: "order-7")
            #expect(named.stream.hasPrefix("transaction/"))
        }
    }
}
