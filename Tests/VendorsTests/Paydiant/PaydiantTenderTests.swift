import Canonical
import Payments
import Testing
import Vendors

/// One tender reported in several forms counts once, and two identical tenders count twice.
@Suite("Paydiant tenders")
struct PaydiantTenderTests {
    private static func account(
        _ uri: String?,
        _ amount: String,
        code: String? = nil,
        reference: String? = nil,
        status: String = "200"
    ) -> JSONValue {
        var object: JSONObject = ["amount": .string(amount), "paymentStatusCode": .string(status)]
        if let uri { object["accountUri"] = .string("paydiant://account/\(uri)") }
        if let code { object["authorizationCode"] = .string(code) }
        if let reference { object["paymentRefId"] = .string(reference) }
        return .object(object)
    }

    /// The answer to an update in which these accounts paid.
    private static func answer(
        _ accounts: JSONValue...,
        balance: String? = nil,
        previous: [JSONValue] = []
    ) throws -> Observation {
        var response: JSONObject = ["transactionAccounts": .array(accounts)]
        if let balance { response["balanceDue"] = .string(balance) }
        if !previous.isEmpty { response["previousPaymentResults"] = .array(previous) }
        return try Paydiant.read(
            "UpdateTransactionCompletionBlock",
            ["request": ["checkoutToken": .string(Paydiant.token)], "response": .object(response)]
        )
    }

    private func expect(
        _ steps: [Observation],
        captured: Int64,
        tenders: Int,
        _ location: SourceLocation = #_sourceLocation
    ) {
        for reported in [steps, Array(steps.reversed()), steps + steps] {
            var history: [TransactionEvent] = []
            for step in reported { history += Lifecycle.decide(step.events, after: history, policy: step.policy) }
            let state = TransactionState(folding: history)
            #expect(state.captured == captured && state.tenders.entries.count == tenders, sourceLocation: location)
            #expect(Set(state.tenders.entries.map(\.captureID)).count == tenders, sourceLocation: location)
            #expect(state.captures.count == tenders, sourceLocation: location)
            #expect(state.anomalies.isEmpty, "\(state.anomalies.map(\.explanation))", sourceLocation: location)
        }
    }

    @Test("The platform's id may arrive with a later report or an earlier one")
    func reference() throws {
        let byCode = try Self.answer(Self.account("a", "10.00", code: "A1"))
        let both = try Self.answer(Self.account("a", "10.00", code: "A1", reference: "P1"))
        let byReference = try Self.answer(Self.account("a", "10.00", reference: "P1"))
        let plain = try Self.answer(Self.account("a", "10.00"))
        let unnamed = try Self.answer(Self.account(nil, "10.00", code: "A1", reference: "P1"))
        expect([byCode, both], captured: 1_000, tenders: 1)
        expect([byCode, unnamed, both], captured: 1_000, tenders: 1)
        expect([both, byReference, byCode], captured: 1_000, tenders: 1)
        expect([plain, byCode], captured: 1_000, tenders: 1)
        expect([plain, byReference], captured: 1_000, tenders: 1)
    }

    @Test("Different ids are two payments, whatever else is equal")
    func references() throws {
        let first = try Self.answer(Self.account("a", "10.00", code: "A1", reference: "P1"))
        let second = try Self.answer(Self.account("a", "10.00", code: "A1", reference: "P2"))
        expect([first, second], captured: 2_000, tenders: 2)
        let other = try Self.answer(Self.account("a", "10.00", code: "A2"))
        expect([first, other], captured: 2_000, tenders: 2)
    }

    @Test("An answer that lists earlier payments counts them once")
    func listed() throws {
        let first = try Self.answer(Self.account("a", "10.00"), balance: "5.00")
        let both = try Self.answer(Self.account("a", "10.00"), Self.account("b", "5.00"), balance: "0.00")
        expect([try Paydiant.due("15.00"), first, both], captured: 1_500, tenders: 2)
        let last = try Self.answer(Self.account("b", "5.00"), balance: "0.00")
        expect([try Paydiant.due("15.00"), first, last, both], captured: 1_500, tenders: 2)
    }

    @Test("An answer is the same with and without the remaining balance")
    func balance() throws {
        let reported = try Self.answer(Self.account("a", "10.00"), balance: "5.00")
        expect([reported, try Self.answer(Self.account("a", "10.00"))], captured: 1_000, tenders: 1)
        // Two payments with different remaining balances count twice.
        let second = try Self.answer(Self.account("a", "10.00"), balance: "0.00")
        let twice = try Self.answer(Self.account("a", "10.00"), Self.account("a", "10.00"), balance: "0.00")
        let third = try Self.answer(Self.account("a", "10.00"), balance: "10.00")
        expect([try Paydiant.due("20.00"), third, second, twice], captured: 2_000, tenders: 2)
    }

    @Test("Gift cards whose issuer uses one authorisation for all payments are distinguished")
    func giftCards() throws {
        let one = Self.account("a", "10.00", code: "000000")
        let other = Self.account("b", "7.00", code: "000000")
        let again = Self.account("a", "3.00", code: "000000")
        expect([try Self.answer(one, other, again)], captured: 2_000, tenders: 3)
        expect(
            [try Self.answer(one), try Self.answer(other), try Self.answer(one, other)],
            captured: 1_700,
            tenders: 2
        )
        let twins = try Self.answer(one, one, Self.account("b", "10.00", code: "000000"))
        expect([twins, try Self.answer(one)], captured: 3_000, tenders: 3)
    }

    @Test("Identical accounts and amounts count as often as the answer lists them")
    func alike() throws {
        let account = Self.account("a", "10.00")
        let three = try Self.answer(account, account, account)
        expect([three], captured: 3_000, tenders: 3)
        expect([try Self.answer(account), three], captured: 3_000, tenders: 3)
        let nameless = Self.account(nil, "10.00")
        expect([try Self.answer(nameless, nameless)], captured: 2_000, tenders: 2)
    }

    @Test("Held and captured with the same authorisation")
    func held() throws {
        let held = try Self.answer(Self.account("a", "75.00", code: "A1", status: "210"))
        let taken = try Self.answer(Self.account("a", "41.17", code: "A1"))
        let state = Paydiant.fold(held, taken)
        #expect(state.tenders.entries.count == 1 && state.captured == 4_117 && state.anomalies.isEmpty)
    }

    @Test("An earlier attempt that took money is the reported one, not the one beside it")
    func earlier() throws {
        let first = try Self.answer(Self.account("a", "10.00", code: "A1"), balance: "10.00")
        let second = try Self.answer(
            Self.account("a", "10.00"),
            balance: "0.00",
            previous: [Self.account("a", "10.00", code: "A1")]
        )
        let state = Paydiant.fold(try Paydiant.due("20.00"), first, second)
        #expect(state.tenders.entries.count == 2 && state.captured == 2_000 && state.anomalies.isEmpty)
        let alone = Paydiant.fold(try Paydiant.due("20.00"), second)
        #expect(alone.tenders.entries.count == 2 && alone.captured == 2_000 && alone.anomalies.isEmpty)
    }

    @Test(
        "A tender recorded without marks is recognised by its id",
        arguments: ["P1", "A1", "4242/1000/500"]
    )
    func before(id: String) {
        func reported(_ id: String, _ marks: TenderMarks?) -> TransactionEvent {
            .tenderApplied(
                Tender(
                    id: id,
                    marks: marks,
                    amounts: Amounts(total: Money(1_000, .usd)),
                    account: TenderAccount(lastFour: "4242"),
                    evidence: .gateway
                )
            )
        }
        let recorded = reported(id, nil)
        let names: [(String, TenderMarks)] =
            switch id {
            case "P1": [("P1", TenderMarks(reference: "P1", authorization: "A1"))]
            case "A1": [("A1/4242/1000", TenderMarks(authorization: "A1"))]
            default: [("4242/1000/500", TenderMarks()), ("4242/1000", TenderMarks(isListed: true))]
            }
        for (name, marks) in names {
            let state = TransactionState(folding: [recorded, reported(name, marks)])
            #expect(state.tenders.entries.count == 1 && state.captured == 1_000, "\(name)")
        }
        // Without marks only ids count, as before.
        #expect(TransactionState(folding: [recorded, reported("other", nil)]).captured == 2_000)
    }
}
