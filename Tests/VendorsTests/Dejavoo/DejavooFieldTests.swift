import Canonical
import Payments
import Testing
import Vendors

/// Every field of both versions' response tables: either its value changes the observation, or only the document keeps
/// it, as listed on the page about the vendor.
@Suite("Dejavoo response fields")
struct DejavooFieldTests {
    private static let second: [(path: String, other: JSONValue)] = [
        ("RefId", "1"), ("AuthCode", "83398129492534106720240723110923"), ("TransNum", "9"), ("ResultCode", "1"),
        ("PaymentType", "debit"), ("CardType", "VISA"), ("iPOSToken", "AA"), ("HostResponseCode", "05"),
        ("HostResponseMessage", "OTHER"), ("ExtData/Amount", "11.00"), ("ExtData/Tip", "$2.00"),
        ("ExtData/TaxCity", "3.00"), ("ExtData/TaxState", "3.00"), ("ExtData/Fee", "0.50"),
        ("ExtData/BaseAmount", "12.00"), ("ExtData/BatchNum", "122"), ("ExtData/AcntLast4", "1111"),
        ("ExtData/AcntFirst4", "4111"), ("ExtData/TotalAmt", "14.00"), ("ExtData/TaxAmount", "2.50"),
        ("ExtData/RespCode", "05"), ("ExtData/RRN", "400907500271"), ("ExtData/HostTxnId", "1"),
        ("ExtData/txnId", "1"), ("ExtData/TxnType", "2"), ("ExtData/EntryType", "chip"), ("ExtData/txnLabel", "refund"),
        ("ExtData/DateTime", "20240222173538"), ("ExtData/Tax1Label", "City"), ("ExtData/Tax2Label", "County"),
        ("ExtData/FeeLabel", "Service"), ("ExtData/networkMode", "LTE"),
    ]

    private static let keptBySecond = [
        "PNRef", "Message", "RespMsg", "ExtData/TraceNum",
    ]

    private static let first: [(path: String, other: JSONValue)] = [
        ("Card/AID", "A0000000031010"), ("Card/Label", "VISA"), ("Card/MaskedPan", "4111112012"),
        ("BaseAmt/Amt", "5.00"), ("Tax1/Amt", "5.00"), ("Tax2/Amt", "5.00"), ("Tip/Amt", "5.00"),
        ("BaseFee/Amt", "9"), ("TxDetail/DateNTime", "20240515191216"), ("TxDetail/Tpn", "544424127176"),
        ("Currency", "124"), ("Response/AppCode", "AXS803"), ("Response/BatchNo", "64"),
        ("Response/CardType", "DEBIT"), ("Response/DTxId", "1"), ("Response/HTxId", "1"), ("Response/InvoiceNo", "6"),
        ("Response/RespCode", "05"), ("Response/RespMsg", "OTHER"), ("Response/Rrn", "413613500099"),
        ("Response/TxRefNo", "1"), ("Tax1/Label", "City"), ("Tax2/Label", "County"), ("BaseFee/Label", "Service"),
        ("surveyAns", "2"),
    ]

    private static let keptByFirst = [
        "BaseAmt/Label", "Tip/Label", "TxDetail/TraceNo", "Date",
    ]

    private func place(_ path: String, below container: [String]) -> DocumentPlaces {
        DocumentPlaces(path: container + path.split(separator: "/").map(String.init))
    }

    private func check(
        _ fixture: VendorFixture,
        read: [(path: String, other: JSONValue)],
        kept: [String],
        below container: [String]
    ) throws {
        let observation = try fixture.observation()
        for (path, other) in read {
            let body = place(path, below: container).replacing(in: fixture.body, with: other)
            #expect(try fixture.observation(of: body) != observation, "\(path)")
        }
        for path in kept {
            let body = place(path, below: container).replacing(in: fixture.body, with: "7")
            #expect(try fixture.observation(of: body) == observation, "\(path)")
        }
        // Every field of the example is in one of the lists.
        let leaves = DocumentPlaces.all(in: fixture.body).map { $0.path.dropFirst(container.count) }
            .map { $0.joined(separator: "/") }
        let listed = read.map(\.path) + kept
        for leaf in leaves where !leaf.isEmpty && !leaves.contains(where: { $0.hasPrefix(leaf + "/") }) {
            #expect(listed.contains(leaf), "\(leaf)")
        }
    }

    @Test("Version 2")
    func versionTwo() throws {
        let fixture = try VendorFixture.named("dejavoo/v2-sale")
        try check(fixture, read: Self.second, kept: Self.keptBySecond, below: ["Spin_Response"])
    }

    @Test("Version 1")
    func versionOne() throws {
        let fixture = try VendorFixture.named("dejavoo/v1-sale")
        try check(fixture, read: Self.first, kept: Self.keptByFirst, below: [])
    }

    @Test("If one of two equivalent fields is missing, the other is read")
    func secondChoices() throws {
        let fixture = try VendorFixture.named("dejavoo/v2-sale")
        func without(_ paths: [String]) throws -> [References] {
            let body = paths.reduce(fixture.body) { place($1, below: ["Spin_Response"]).removing(from: $0) }
            return try fixture.observation(of: body).events.compactMap {
                if case .authorizationApproved(let approval) = $0 { approval.references } else { nil }
            }
        }
        #expect(try without(["ExtData/RRN"]).map(\.retrievalReference) == ["400907500270"])
        #expect(try without(["TransNum"]).map(\.invoice) == ["4"])
        #expect(try without(["HostResponseCode", "HostResponseMessage"]).count == 1)
    }

    @Test("The samples of the field tables: 00 is success, V1 prints Fee, other words for entry and network")
    func samples() throws {
        let second = try VendorFixture.named("dejavoo/v2-sale")
        func changed(_ path: String, _ value: JSONValue) throws -> Observation {
            let place = place(path, below: ["Spin_Response"])
            return try second.observation(of: place.replacing(in: second.body, with: value))
        }
        #expect(try changed("ResultCode", "00").types == second.observation().types)
        let manual = try changed("ExtData/EntryType", "manual entry")
        #expect(manual.types == (try second.observation().types) && manual.anomalies.isEmpty)
        for network in ["LTE", "Ethernet", "WIFI"] {
            let answer = try changed("ExtData/networkMode", .string(network))
            #expect(answer.types == (try second.observation().types) && answer.anomalies.isEmpty)
            #expect(answer.reportedByReader.map(\.report.details) == [[Detail("networkMode", network)]])
        }
        let first = try VendorFixture.named("dejavoo/v1-sale")
        let without = place("BaseFee", below: []).removing(from: first.body)
        guard case .object(var body) = without else {
            Issue.record("no object")
            return
        }
        body["Fee"] = ["Amt": "5", "Label": "Custom Fee"]
        #expect(try first.observation(of: .object(body)).amounts?.fee == first.observation().amounts?.fee)
        #expect(try first.observation().amounts?.fee == Money(500, .usd))
    }

    @Test("Both versions read one sale alike, as JSON and as text")
    func printedAlike() throws {
        let json = try VendorFixture.named("dejavoo/v1-sale").observation()
        #expect(try VendorFixture.named("dejavoo/v1-sale-printed").observation() == json)
        let settlement = try VendorFixture.named("dejavoo/v2-batch-settlement").observation()
        #expect(try VendorFixture.named("dejavoo/v2-settlement-printed").observation() == settlement)
        let answer = try VendorFixture.named("dejavoo/register-answer").observation()
        #expect(try VendorFixture.named("dejavoo/register-answer-printed").observation() == answer)
    }
}
