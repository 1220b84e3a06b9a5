import Canonical
import Payments
import Redaction
import Testing
import Vendors

@Suite("Dejavoo settlements")
struct DejavooSettlementTests {
    private func read(_ kind: String, _ body: JSONValue, terminal: String? = "794525543578") throws -> Observation {
        let adapter = DejavooAdapter()
        let document = Scrubber(schema: adapter.redactionSchema(for: kind)).scrub(UnscrubbedDocument(body))
        return try adapter.interpret(document, kind: kind, context: DocumentContext(terminal: terminal))
    }

    private func reported(_ observation: Observation) -> BatchClosing? {
        switch observation.batchEvents.first {
        case .batchClosed(let closing), .batchCloseFailed(let closing), .batchCloseRequested(let closing): closing
        default: nil
        }
    }

    @Test("Version 1 reports a settlement like any answer; the app names its type")
    func legacy() throws {
        let fixture = try VendorFixture.named("dejavoo/v1-sale")
        for type in ["batch", "SETTLEMENTS"] {
            let body = DocumentPlaces(path: ["type"]).replacing(in: fixture.body, with: .string(type))
            let observation = try fixture.observation(of: body)
            #expect(observation.types == ["BatchClosed"])
            let closing = try #require(reported(observation))
            #expect(closing.batch == BatchReference(vendor: .dejavoo, account: "544424127175", number: "63"))
            #expect(closing.settlement == "03430717348412717520240515191215")
            #expect(closing.at?.description == "2024-05-15T19:12:15")
            let refused = DocumentPlaces(path: ["Response", "RespCode"]).replacing(in: body, with: "12")
            #expect(try fixture.observation(of: refused).types == ["BatchCloseFailed"])
        }
    }

    @Test("A sale and the settlement of its batch name the same batch, and so do both versions")
    func sameBatch() throws {
        let sale = try VendorFixture.named("dejavoo/v2-sale").observation()
        guard case .captured(let capture) = sale.events[2] else {
            Issue.record("no capture")
            return
        }
        let answer: JSONValue = [
            "Tpn": "794525543578", "batch_no": 121, "transaction_title": "settlements", "transaction_type": 7,
            "statusCode": "00", "status": "BATCH SETTLED",
        ]
        for kind in ["BatchSettlement", "didReceiveV2Response", "didReceive_TransactionResponse", "didReceiveResponse"]
        {
            #expect(reported(try read(kind, answer))?.batch == capture.batch)
        }
    }

    @Test("Codes of a settlement: closed, refused, in doubt, or in no table")
    func codes() throws {
        for (code, status, types) in [
            ("00", "BATCH SETTLED", ["BatchClosed"]), ("0", "BATCH SETTLED", ["BatchClosed"]),
            ("05", "STMT/TXN INPRGRS", ["BatchCloseFailed"]), ("91", "HOST NO RESPONSE", ["BatchCloseRequested"]),
            ("00", "REQUEST TIMED OUT", ["BatchCloseRequested"]),
            ("XX", "?", ["BatchCloseRequested", "AnomalyRaised"]),
        ] {
            let observation = try read(
                "settlements",
                ["Tpn": "1", "batch_no": 2, "statusCode": .string(code), "status": .string(status)]
            )
            #expect(observation.types == types, "\(code) \(status)")
        }
    }

    @Test("SPIn reports totals by application, and their sum")
    func applications() throws {
        let observation = try VendorFixture.named("dejavoo/spin-settlement").observation()
        let closing = try #require(reported(observation))
        #expect(closing.totals?.count == 4 && closing.totals?.sales == Money(4_065, .usd))
        #expect(closing.totals?.refunds == Money(1_000, .usd) && closing.totals?.net == Money(3_065, .usd))
        let credit = try #require(closing.applications?.first)
        #expect(closing.applications?.map(\.application) == ["Credit", "Debit"])
        #expect(credit.count == 3 && credit.response.code == "00")
        #expect(
            credit.amounts.map { "\($0.name) \($0.amount.value)" } == [
                "SaleAmount 3340", "ReturnAmount 1000", "VoidAmount 500", "AuthAmount 0", "TotalAmount 2340",
            ]
        )
    }

    private func settle(_ result: String, _ statuses: [String], total: JSONValue = 1) throws -> Observation {
        let details: [JSONValue] = statuses.enumerated().map { index, status in
            [
                "Application": .string("App\(index)"), "HostStatus": .string(status),
                "TransactionsReports": ["TransactionsCount": 1, "SaleAmount": total],
            ]
        }
        return try read(
            "SettleResponseContract",
            ["GeneralResponse": ["ResultCode": .string(result)], "BatchNumber": "7", "SettleDetails": .array(details)]
        )
    }

    @Test("A batch of several applications is closed if all of them are")
    func partlyClosed() throws {
        #expect(try settle("0", ["00", "00"]).types == ["BatchClosed"])
        #expect(try settle("0", []).types == ["BatchClosed"])
        #expect(try settle("0", ["05", "05"]).types == ["BatchCloseFailed"])
        let partly = try settle("0", ["00", "05"])
        #expect(partly.types == ["BatchCloseRequested", "AnomalyRaised"])
        #expect(partly.anomalies.map(\.kind) == [.batchMismatch])
        #expect(partly.anomalies.first?.explanation.contains("App1") == true)
        #expect(try settle("1", ["00"]).types == ["BatchCloseFailed"])
        #expect(try settle("2", ["00"]).types == ["BatchCloseRequested"])
        #expect(try settle("9", []).types == ["BatchCloseRequested", "AnomalyRaised"])
        // A status in words is kept and not interpreted.
        #expect(try settle("0", ["Approved"]).types == ["BatchClosed"])
    }

    @Test("A settlement without a batch number closes no batch; it is a report of the terminal with all totals")
    func unnumbered() throws {
        let fixture = try VendorFixture.named("dejavoo/spin-settlement")
        let observation = try fixture.observation(
            of: DocumentPlaces(path: ["BatchNumber"]).removing(from: fixture.body)
        )
        guard case .device(let reader, let events, []) = observation.subject else {
            Issue.record("no report")
            return
        }
        #expect(reader?.serial == "794525543578" && events.map(\.name) == [.commandAnswered])
        #expect(events.first?.report.details?.count == 12)
        #expect(events.first?.report.response.code == "0000")
    }

    @Test("An unreadable total is flagged, and has no sum")
    func unreadable() throws {
        let total = try #require(JSONNumber(literal: "0.30000000000000004"))
        let observation = try settle("0", ["00"], total: .number(total))
        #expect(observation.types == ["BatchClosed", "AnomalyRaised"])
        #expect(observation.anomalies.map(\.kind) == [.amountUnreadable])
        #expect(reported(observation)?.totals?.sales == nil)
    }

    @Test("A summary closes nothing, and keeps all totals as printed")
    func summary() throws {
        let observation = try VendorFixture.named("dejavoo/spin-summary").observation()
        let report = try #require(observation.reportedByReader.first).report
        #expect(
            report.details?.map { "\($0.name)=\($0.value)" } == [
                "Credit.TransactionsCount=2", "Credit.SaleAmount=20.0", "Credit.ReturnAmount=0.0",
                "Credit.TicketAmount=5.0", "Credit.ReversalAmount=0.0", "Credit.CashAdvanceAmount=0.0",
                "Credit.TotalAmount=20.0",
            ]
        )
        #expect(report.response.code == "0000")
    }
}
