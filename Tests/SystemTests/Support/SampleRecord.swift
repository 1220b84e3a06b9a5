import DaybookTestKit
import HTTPRequests

/// One vendor document with its expected result.
struct SampleRecord: Sendable, Hashable {
    let vendor: String
    /// The record's JSON, in one line.
    let json: String
    /// The `device` that distinguishes it from every other record.
    let marker: String
    /// Its contribution to the batches' net, in cents.
    var net: Int64 = 0

    func request(fields: [(name: String, value: String)] = []) -> HTTPRequest {
        HTTPRequest(
            method: "POST",
            target: "/v1/intake/\(vendor)",
            fields: fields + [("Content-Type", "application/json")],
            body: Array(json.utf8)
        )
    }
}

/// Makes distinct documents of the kinds that apps post most, with their follow-ups.
struct SampleRecords {
    private var random: any RandomNumberGenerator
    private let series: String
    private var count = 0

    /// - Parameter series: Up to three digits; records of different series never share an id.
    init(series: Int, random: some RandomNumberGenerator) {
        self.random = random
        self.series = Self.padded(series, 3)
    }

    /// Makes `count` distinct records in which every fourth BridgePay payment is authorised first and captured by a
    /// later record.
    mutating func make(_ count: Int) -> [SampleRecord] {
        var records: [SampleRecord] = []
        var captures: [SampleRecord] = []
        while records.count + captures.count < count {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5: records.append(dejavooSale())
            case 5..<8: records.append(bridgePaySale())
            default:
                let (authorization, capture) = bridgePayCapturedLater()
                records.append(authorization)
                captures.append(capture)
            }
            if captures.count > 20 {
                records.append(captures.remove(at: Int.random(in: 0..<captures.count, using: &random)))
            }
        }
        return Array((records + captures).prefix(count))
    }

    /// Deep linking V2, as in the iPOSgo guide.
    mutating func dejavooSale() -> SampleRecord {
        let id = nextID()
        let base = Int64.random(in: 100...50_000, using: &random)
        let tip = Int64.random(in: 0...2_000, using: &random)
        let marker = "d\(id)"
        let rrn = "4\(series)\(id.suffix(8))"
        let batch = Int.random(in: 100...104, using: &random)
        let json = """
            {"kind":"Spin_Response","device":"\(marker)","terminal":"794524937054","body":{"Spin_Response":{\
            "RefId":"6\(series)\(id.suffix(8))","AuthCode":"DSC380","PNRef":"\(rrn)","TransNum":"4","ResultCode":"0",\
            "Message":"APPROVED","RespMsg":"APPROVAL DSC380","PaymentType":"credit","ExtData":{\
            "Amount":"\(Self.decimal(base))","Tip":"\(Self.decimal(tip))","BatchNum":"\(batch)","AcntLast4":"5859",\
            "AcntFirst4":"3530","BaseAmount":"\(Self.decimal(base))","RespCode":"00","RRN":"\(rrn)","TraceNum":"4",\
            "txnId":"0000\(series)\(id)20240222173537","TxnType":"1","EntryType":"tap-on-phone",\
            "TotalAmt":"\(Self.decimal(base + tip))","txnLabel":"Sale","networkMode":"WIFI",\
            "DateTime":"20240222173537"},"HostResponseCode":"00","HostResponseMessage":"APPROVAL DSC380"}}}
            """
        return SampleRecord(vendor: "dejavoo", json: json, marker: marker, net: base + tip)
    }

    /// PayGuardian's `BPNPayment`, as in the integration guide.
    mutating func bridgePaySale() -> SampleRecord {
        let id = nextID()
        let amount = Int64.random(in: 500...6_999, using: &random)
        return bridgePay(
            "b\(id)",
            gatewayID: "2\(series)\(id.suffix(8))",
            type: "SALE",
            requestType: "004",
            message: "A01 - Approved",
            amount: amount,
            authorized: amount,
            net: amount
        )
    }

    mutating func bridgePayCapturedLater() -> (authorization: SampleRecord, capture: SampleRecord) {
        let id = nextID()
        let gatewayID = "3\(series)\(id.suffix(8))"
        let amount = Int64.random(in: 500...6_999, using: &random)
        let tip = Int64.random(in: 0...500, using: &random)
        let authorization = bridgePay(
            "a\(id)",
            gatewayID: gatewayID,
            type: "SALE_AUTH",
            requestType: "004",
            message: "A01 - Approved",
            amount: amount,
            authorized: amount,
            net: 0
        )
        let capture = bridgePay(
            "c\(id)",
            gatewayID: gatewayID,
            type: "CAPTURE",
            requestType: "019",
            message: "A01 - Approved",
            amount: amount + tip,
            authorized: 0,
            net: amount + tip
        )
        return (authorization, capture)
    }

    private func bridgePay(
        _ marker: String,
        gatewayID: String,
        type: String,
        requestType: String,
        message: String,
        amount: Int64,
        authorized: Int64,
        net: Int64
    ) -> SampleRecord {
        let original = type == "CAPTURE" ? "\"pnRefNum\":\"\(gatewayID)\"," : ""
        let json = """
            {"kind":"BPNPayment","device":"\(marker)","body":{"BPNPaymentRequest":{"invoiceNumber":"33333",\(original)\
            "amount":"\(Self.decimal(amount))","tenderType":"TENDER_TYPE_CREDIT",\
            "transactionType":"TRANSACTION_TYPE_\(type)","username":"emvpgtest","password":"57!sE@3Fm",\
            "merchantCode":"320000","merchantAccountCode":"320001",\
            "industryType":"TRANSACTION_INDUSTRY_TYPE_RETAIL","disableEMV":false},"BridgeCommResponse":{\
            "transactionID":"33333","requestType":"\(requestType)","responseCode":"0",\
            "responseDescription":"Successful Request","token":"(null)","authorizationCode":"786986",\
            "authorizedAmount":"$\(Self.decimal(authorized))","originalAmount":"$\(Self.decimal(authorized))",\
            "gatewayTransactionID":"\(gatewayID)","gatewayMessage":"\(message)","gatewayResult":"00000",\
            "remainingAmount":"$0.00","ISOCurrencyCode":"USD","cardType":"Visa","maskedPAN":"4***********9269",\
            "isCommercialCard":"False"}}}
            """
        return SampleRecord(vendor: "bridgepay", json: json, marker: marker, net: net)
    }

    private mutating func nextID() -> String {
        count += 1
        return Self.padded(count, 11)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func decimal(_ cents: Int64) -> String { "\(cents / 100).\(padded(Int(cents % 100), 2))" }
}

extension APIClient {
    func post(_ record: SampleRecord, fields: [(name: String, value: String)] = []) async throws -> HTTPAnswer {
        try await send(record.request(fields: fields))
    }
}
