import Canonical
import DaybookTestKit
import EventLog
import Intake
import Payments
import Testing
import Vendors

/// Which payment a document is assigned to.
@Suite struct FindingTests {
    @Test func aSaleIsNotJoinedToAnotherByItsRetrievalReference() async throws {
        try await withIntake { intake, log in
            let first = try await intake.submit(Spin(rrn: "405317000004", txn: "A1", total: "13.40"))
            let second = try await intake.submit(Spin(rrn: "405317000004", txn: "B2", total: "13.40"))
            #expect(first.stream != second.stream)
            #expect(second.anomalies.map(\.kind) == [.keysDisagree])
            #expect(second.anomalies.first?.related == [first.stream])
            let state = try await log.payment(second.stream)
            #expect(state.captured == 1340)
            #expect(state.linked == [first.stream])
        }
    }

    /// The app names the terminal by its serial number, the answer by its TPN.
    @Test func anAnswerNamesTheTerminalDifferentlyThanTheApp() async throws {
        try await withIntake { intake, log in
            let request: JSONValue = ["type": "SALE", "amount": "13.40"]
            let first = try await intake.submit(
                "dejavoo",
                "makeARequestBasedOnTransactionTypes",
                request,
                transaction: "order-1",
                terminal: "S1"
            )
            func answer(_ tpn: String, _ id: String, at terminal: String) async throws -> IntakeAnswer {
                let spin = Spin(rrn: "40531700000\(id)", txn: id, total: "13.40", tpn: tpn)
                return try await intake.submit(
                    "dejavoo",
                    "Spin_Response",
                    spin.body,
                    transaction: "order-1",
                    terminal: terminal
                )
            }
            // The same order at another till is another payment.
            let other = try await answer("222222222222", "2", at: "S2")
            #expect(other.stream != first.stream)
            let answered = try await answer("111111111111", "1", at: "S1")
            #expect(answered.stream == first.stream && answered.anomalies.isEmpty)
            #expect(try await log.payment(first.stream).captured == 1340)
            // The request of another order comes after its answer.
            let spin = Spin(rrn: "405317000003", txn: "3", total: "13.40", tpn: "111111111111")
            let early = try await intake.submit(
                "dejavoo",
                "Spin_Response",
                spin.body,
                transaction: "order-2",
                terminal: "S1"
            )
            let late = try await intake.submit(
                "dejavoo",
                "makeARequestBasedOnTransactionTypes",
                request,
                transaction: "order-2",
                terminal: "S1"
            )
            #expect(late.stream == early.stream && late.anomalies.isEmpty)
        }
    }

    @Test func theSameSaleInAnotherFormIsOnePaymentAndOneCapture() async throws {
        try await withIntake { intake, log in
            let first = try await intake.submit(Spin(rrn: "405317000004", txn: "A1", total: "13.40"))
            let again = try await intake.submit(Spin(rrn: "405317000004", txn: "A1", total: "13.40", extra: "WIFI"))
            #expect(first.stream == again.stream)
            #expect(again.types == ["DocumentReceived"])
            #expect(try await log.payment(first.stream).captured == 1340)
        }
    }

    @Test func aVoidIsFoundByTheTerminalsOwnNumberFirst() async throws {
        try await withIntake { intake, log in
            let first = try await intake.submit(
                Spin(rrn: "405317000004", txn: "A1", total: "1.00", tpn: "111111111111")
            )
            let second = try await intake.submit(
                Spin(rrn: "405317000004", txn: "B2", total: "2.00", tpn: "222222222222")
            )
            #expect(first.stream != second.stream)
            let void = try await intake.submit(
                Spin(rrn: "405317000004", txn: "B3", total: "2.00", tpn: "222222222222", label: "Void")
            )
            #expect(void.stream == second.stream)
            #expect(try await log.payment(second.stream).status == .voided)
            #expect(try await log.payment(first.stream).status == .captured)
        }
    }

    /// A void or ticket has its own id; if it comes first, it still leads to the same payment.
    @Test(arguments: [("Void", "Sale", TransactionStatus.voided), ("Ticket", "Pre Auth", .captured)])
    func aFollowUpMayArriveBeforeItsPayment(follow: String, start: String, status: TransactionStatus) async throws {
        try await withIntake { intake, log in
            let later = try await intake.submit(Spin(rrn: "405317000004", txn: "C3", total: "5.00", label: follow))
            let first = try await intake.submit(Spin(rrn: "405317000004", txn: "A1", total: "5.00", label: start))
            #expect(first.stream == later.stream)
            #expect(try await log.payment(first.stream).status == status)
            let other = try await intake.submit(Spin(rrn: "405317000004", txn: "B2", total: "5.00", label: start))
            #expect(other.stream != first.stream)
        }
    }

    /// The same if the app's request came first, so that the payment has begun, and its answer last.
    @Test func aVoidMayArriveBetweenARequestAndItsAnswer() async throws {
        try await withIntake { intake, log in
            func ending(_ type: String, _ id: String, of original: String? = nil) -> JSONValue {
                var xml: JSONObject = [
                    "TransactionType": .string(type), "FinancialStatus": "AUTHORISED", "TotalAmount": "703",
                    "Currency": "978", "EFTTransactionID": .string(id),
                ]
                if let original { xml["OriginalEFTTransactionID"] = .string(original) }
                return ["statusCode": 1, "status": "AUTHORISED", "xml": .object(xml)]
            }
            let sale = "6dc8d0ff-b49a-4f57-8ed7-5ef5d1cb1d1e"
            let void = ending("VOID_SALE", "0c1f2a58-3f2e-4b70-8f5d-53b6a1d2c9aa", of: sale)
            let request: JSONValue = ["amount": 703, "currency": "EUR", "cardholder": true]
            let first = try await intake.submit("handpoint", "saleWithAmount", request, transaction: "order-9")
            let later = try await intake.submit("handpoint", "responseFinanceStatus", void, transaction: "order-9")
            let answer = ending("SALE", sale)
            let last = try await intake.submit("handpoint", "responseFinanceStatus", answer, transaction: "order-9")
            #expect(first.stream == later.stream && later.stream == last.stream)
            #expect(try await log.payment(first.stream).status == .voided)
        }
    }

    @Test func theAppsReferenceLeadsToThePayment() async throws {
        try await withIntake { intake, log in
            let error: JSONValue = ["domain": "com.bridgepaynetwork.PayGuardian", "code": 99]
            let first = try await intake.submit("bridgepay", "NSError", error, transaction: "order-7")
            #expect(try await log.payment(first.stream).status == .inDoubt)
            let sale = try await intake.submit(Spin(rrn: "1", txn: "A1", total: "5.00"), transaction: "order-7")
            #expect(sale.stream == first.stream)
            #expect(try await log.payment(first.stream).captured == 500)
            let id = try #require(StreamName.transactionID(first.stream))
            let void = try await intake.submit(Spin(rrn: "3", txn: "C3", total: "5.00", label: "Void"), transaction: id)
            #expect(void.stream == first.stream)
        }
    }

    @Test(arguments: [true, false])
    func twoSalesUnderOneReferenceOfTheAppBothCount(byID: Bool) async throws {
        try await withIntake { intake, log in
            let first = try await intake.submit(Spin(rrn: "1", txn: "A1", total: "5.00"), transaction: "order-7")
            let reference = byID ? StreamName.transactionID(first.stream) : "order-7"
            let other = try await intake.submit(Spin(rrn: "2", txn: "B2", total: "5.00"), transaction: reference)
            #expect(other.stream != first.stream)
            #expect(other.anomalies.map(\.kind) == [.keysDisagree])
            #expect(try await log.payment(first.stream).captured == 500)
            #expect(try await log.payment(other.stream).captured == 500)
            // The payment that the vendor's number leads to takes precedence over the app's reference.
            let void = try await intake.submit(
                Spin(rrn: "2", txn: "C3", total: "5.00", label: "Void"),
                transaction: reference
            )
            #expect(void.stream == other.stream)
        }
    }

    @Test func aReferenceWithACardNumberIsDroppedAndJoinsNothing() async throws {
        try await withIntake { intake, _ in
            let first = try await intake.submit(
                Spin(rrn: "1", txn: "A1", total: "5.00"),
                transaction: "4111111111111111"
            )
            let other = try await intake.submit(
                Spin(rrn: "2", txn: "B2", total: "6.00"),
                transaction: "4111111111111111"
            )
            #expect(first.stream != other.stream)
            #expect(first.redactions.contains(RedactionNote(path: "/transaction", rule: "pan", action: "dropped")))
        }
    }

    @Test func twentyConcurrentDuplicatesAreOneFactAndOneAnswer() async throws {
        try await withIntake { intake, log in
            let answers = try await withThrowingTaskGroup(of: IntakeAnswer.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await intake.submit(Spin(rrn: "1", txn: "A1", total: "5.00")) }
                }
                return try await group.reduce(into: [IntakeAnswer]()) { $0.append($1) }
            }
            #expect(Set(answers.map(\.stream)).count == 1)
            #expect(Set(answers.map(\.positions)).count == 1)
            #expect(answers.filter { !$0.isDuplicate }.count == 1)
            #expect(try await log.reader.head() == 4)
        }
    }

    @Test func salesWithoutIDsAreDistinguishedByTheAppsReference() async throws {
        try await withIntake { intake, _ in
            let error: JSONValue = ["domain": "com.bridgepaynetwork.PayGuardian", "code": 6]
            let first = try await intake.submit("bridgepay", "NSError", error, transaction: "a")
            let again = try await intake.submit("bridgepay", "NSError", error, transaction: "a")
            let other = try await intake.submit("bridgepay", "NSError", error, transaction: "b")
            #expect(first.stream == again.stream)
            #expect(again.isDuplicate)
            #expect(other.stream != first.stream)
        }
    }

    @Test func aTipSetBackIsOrderedByTheSendersTime() async throws {
        try await withIntake { intake, log in
            let tips = [("2.00", "08:00"), ("3.00", "09:00"), ("2.00", "10:00")]
            var stream = ""
            for (tip, time) in tips {
                let body: JSONValue = [
                    "BPNPaymentRequest": [
                        "pnRefNum": "235531904", "tipAmount": .string(tip),
                        "transactionType": "TRANSACTION_TYPE_TIP_ADJUST",
                    ],
                    "BridgeCommResponse": [
                        "requestType": "004", "gatewayTransactionID": "235531904", "gatewayResult": "00000",
                        "gatewayMessage": "A12 - Tip Adjustment Posted", "originalAmount": "$5.00",
                        "authorizedAmount": .string(tip == "2.00" ? "$7.00" : "$8.00"),
                    ],
                ]
                stream = try await intake.submit(
                    "bridgepay",
                    "BPNPayment",
                    body,
                    occurredAt: "2026-11-20T\(time):00Z"
                ).stream
            }
            let state = try await log.payment(stream)
            #expect(state.tips == 200)
            #expect(state.captured == 700)
        }
    }
}

extension FindingTests {
    /// The app counts its references from one again in every batch.
    @Test func aReusedReferenceIsAnotherPayment() async throws {
        try await withIntake { intake, log in
            func sale(_ number: String) -> JSONValue {
                var body = Spin(rrn: "R\(number)", txn: "T\(number)", total: "5.00").body.object ?? [:]
                var answer = body["Spin_Response"]?.object ?? [:]
                answer["RefId"] = "1"
                body["Spin_Response"] = .object(answer)
                return .object(body)
            }
            let today = try await intake.submit("dejavoo", "Spin_Response", sale("A"), transaction: "1")
            let tomorrow = try await intake.submit("dejavoo", "Spin_Response", sale("B"), transaction: "1")
            #expect(today.stream != tomorrow.stream)
            #expect(tomorrow.anomalies.map(\.kind) == [.keysDisagree])
            for answer in [today, tomorrow] { #expect(try await log.payment(answer.stream).captured == 500) }
        }
    }
}
