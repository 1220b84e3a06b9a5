import Canonical
import Payments
import Testing

@testable import Vendors

/// Every value of the vendor's lists: a missing one fails here.
@Suite("Handpoint lists")
struct HandpointCodesTests {
    @Test("Every financial status and number")
    func financialStatuses() {
        let names: [(String, CodeMeaning)] = [
            ("UNDEFINED", .unknown), ("APPROVED", .approved), ("AUTHORISED", .approved), ("DECLINED", .declined),
            ("PROCESSED", .unknown), ("FAILED", .failed), ("CANCELLED", .cancelled),
            ("PARTIAL_APPROVAL", .partiallyApproved), ("IN_PROGRESS", .unknown), ("REFUNDED", .approved),
            ("CAPTURED", .approved),
        ]
        for (name, meaning) in names { #expect(HandpointFinancialStatus(named: name)?.meaning == meaning, "\(name)") }
        #expect(HandpointFinancialStatus.allCases.count == names.count)
        let numbers: [(Int, CodeMeaning)] = [
            (0, .unknown), (1, .approved), (2, .declined), (3, .unknown), (4, .failed), (5, .cancelled),
            (6, .partiallyApproved),
        ]
        for (number, meaning) in numbers {
            #expect(HandpointFinancialResult(number: number)?.meaning == meaning)
            #expect(HandpointFinancialResult(number: number | 0x80)?.meaning == meaning)
        }
        #expect(HandpointFinancialResult.allCases.count == numbers.count)
        #expect(HandpointFinancialResult(number: 7) == nil && HandpointFinancialResult(number: 0x181) == nil)
        #expect(HandpointFinancialResult(number: 18) == .cancelled)
    }

    @Test("Every transaction type")
    func transactionTypes() {
        let names = [
            "UNDEFINED", "SALE", "VOID_SALE", "REFUND", "VOID_REFUND", "CANCEL_SALE", "CANCEL_REFUND", "HOST_INIT",
            "START_DAY", "END_DAY", "RECOVER_TXN_RESULT", "TIP_ADJUSTMENT",
        ]
        #expect(HandpointTransactionType.allCases.map(\.rawValue) == names)
        #expect(HandpointTransactionType(named: "Start day") == .startDay)
        #expect(HandpointTransactionType.started(by: "saleWithAmount") == .sale)
        #expect(HandpointTransactionType.started(by: "saleVoidWithAmount") == .voidSale)
        #expect(HandpointTransactionType.started(by: "refundWithAmount") == .refund)
        #expect(HandpointTransactionType.started(by: "refundVoidWithAmount") == .voidRefund)
        #expect(HandpointTransactionType.started(by: "financeInit") == .hostInit)
        #expect(HandpointTransactionType.started(by: "retrievePendingTransaction") == .recoverResult)
    }

    @Test("Every verification method, card entry method and log level")
    func lists() {
        let methods: [(String, signature: Bool?, pin: Bool?)] = [
            ("UNDEFINED", nil, nil), ("SIGNATURE", true, false), ("PIN", false, true), ("PIN_SIGNATURE", true, true),
            ("FAILED", nil, nil), ("NOT_REQUIRED", false, false),
        ]
        for (name, signature, pin) in methods {
            let method = HandpointVerification(named: name)
            #expect(method?.requiresSignature == signature && method?.pinEntered == pin, "\(name)")
        }
        #expect(HandpointVerification.allCases.count == methods.count)
        #expect(HandpointCardEntry.allCases.map(\.rawValue) == ["UNDEFINED", "MSR", "ICC", "CNP"])
        #expect(
            HandpointLogLevel.allCases.map(\.rawValue)
                == ["eLogNone", "eLogInfo", "eLogFull", "eLogDebug", "eLogError"]
        )
    }

    @Test("Values outside the lists are kept and flagged, and cause no refusal")
    func unknownValues() throws {
        let fields = ["CVM", "CardEntryType", "FinancialStatus", "TransactionType"]
        for field in fields {
            let fixture = try VendorFixture.named("handpoint/finance-sale")
            let body = DocumentPlaces(path: ["xml", field]).replacing(in: fixture.body, with: "SOMETHING_NEW")
            let observation = try fixture.observation(of: body)
            #expect(observation.anomalies.contains { $0.kind == .unknownValue && $0.explanation.hasPrefix(field) })
            #expect(!(observation.anomalies.contains { $0.explanation.contains("SOMETHING_NEW") }))
        }
    }

    @Test("The simulator's result by amount")
    func simulator() {
        let rows: [(Int64, HandpointSimulatedSale)] = [
            (1000, .declined), (2000, .cancelledByUser), (3000, .signatureRequested), (1, .approved), (4000, .approved),
            (7999, .approved), (8000, .timedOut(.responseTimeout, afterSeconds: 0)),
            (8099, .timedOut(.responseTimeout, afterSeconds: 99)),
            (8100, .interrupted(.communication, isAuthorised: false)),
            (9000, .interrupted(.communication, isAuthorised: false)),
            (9001, .timedOut(.acknowledgementTimeout, afterSeconds: 20)),
            (9002, .timedOut(.responseTimeout, afterSeconds: 15)),
            (9003, .timedOut(.financeTimeout, afterSeconds: 120)),
            (9004, .interrupted(.communication, isAuthorised: true)),
            (9005, .interrupted(.connectionBroken, isAuthorised: true)),
            (9006, .interrupted(.communication, isAuthorised: false)),
            (9999, .interrupted(.communication, isAuthorised: false)), (10_000, .approved),
        ]
        for (amount, sale) in rows { #expect(HandpointSimulatedSale(amount: amount) == sale, "\(amount)") }
    }

    /// The currencies for which the SDK's table differs from ISO 4217.
    private static let scaledOtherwise: Set<String> = [
        "AMD", "AOA", "CNY", "COP", "IDR", "IQD", "IRR", "KHR", "KPW", "LAK", "LBP", "MMK", "MOP", "TWD", "YER",
    ]

    @Test("Fifteen currencies have other decimals in the SDK: ISO 4217 is used, and this is flagged")
    func currencies() throws {
        let fixture = try VendorFixture.named("handpoint/finance-sale")
        for currency in Currency.all where currency.exponent != nil {
            let isOdd = Self.scaledOtherwise.contains(currency.alpha)
            #expect(currency.isScaledOtherwiseByHandpoint == isOdd, "\(currency)")
            for name in [currency.alpha, currency.numericText, "0" + currency.numericText] {
                let body = DocumentPlaces(path: ["xml", "Currency"]).replacing(in: fixture.body, with: .string(name))
                let observation = try fixture.observation(of: body)
                #expect(observation.amounts?.total == Money(1000, currency))
                #expect(observation.anomalies.map(\.kind) == (isOdd ? [.amountScaleAssumed] : []))
            }
        }
    }
}
