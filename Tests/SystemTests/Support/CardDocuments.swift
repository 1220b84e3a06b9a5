import Canonical
import DaybookTestKit
import HTTPRequests
import Payments
import Vendors

/// Requests with card data and secrets in every place a sender could put them, in valid and invalid documents.
struct CardDocuments {
    static let harmlessKey = "harmless-Kookaburra"

    private var count = 0

    /// A request, and the status it must have; nil if several are right.
    typealias Planted = (request: HTTPRequest, status: Int?)

    /// Every number in every place.
    mutating func all() -> [Planted] {
        let numbers = CardSecrets.numbers
        var planted: [Planted] = []
        for number in numbers {
            let spaced = CardSecrets.grouped(number, by: " ")
            planted += [
                (bridgePay(request: #""cardNumber":"\#(number)","expirationDate":"\#(CardSecrets.expiry)""#), 201),
                (bridgePay(request: #""comment":"paid with \#(spaced), thanks""#), 201),
                (bridgePay(response: #""internalMessage":"card \#(CardSecrets.grouped(number, by: "-")) ok""#), 201),
                (bridgePay(request: #""\#(number)":{"\#(number)":["x",\#(number)]}"#), 201),
                (
                    bridgePay(context: #""merchant":"\#(number)","terminal":"\#(number)","transaction":"\#(number)""#),
                    201
                ),
                (bridgePay(context: #""idempotencyKey":"\#(number)""#), 201),
                (dejavoo(#""TransNum":"\#(number)","note":"{\"pan\":\"\#(number)\"}""#), 201),
            ]
        }
        return planted + secrets() + everyVendor() + answers() + refused(numbers) + elsewhere(numbers)
    }

    // MARK: Accepted documents

    private mutating func secrets() -> [Planted] {
        let escaped = "%B\(CardSecrets.trackData[2])^DOE\\/JANE^25121011000084765300017?"
        return [
            (bridgePay(request: #""track1":"\#(escaped)","track2":"\#(CardSecrets.track2)""#), 201),
            (bridgePay(request: #""swipe":"\#(escaped)\#(CardSecrets.track2)""#), 201),
            (bridgePay(response: #""gatewayMessage2":"read \#(CardSecrets.track2) twice""#), 201),
            (bridgePay(request: #""pinBlock":"\#(CardSecrets.pinBlocks[0])""#), 201),
            (dejavoo(#""PINBlock":"\#(CardSecrets.pinBlocks[1])""#), 201),
            (bridgePay(request: #""cvv":"\#(CardSecrets.longCodes[0])","CSC":"\#(CardSecrets.longCodes[1])""#), 201),
            (bridgePay(request: #""securityCode":"\#(CardSecrets.shortCodes[0])""#), 201),
            (dejavoo(#""CVV2":"\#(CardSecrets.shortCodes[1])","cvc":\#(CardSecrets.shortCodes[0])"#), 201),
            (dejavoo(#""note":"cvv: \#(CardSecrets.shortCodes[0]), exp: \#(CardSecrets.expiry)""#), 201),
            (dejavoo(#""ExpDate":"\#(CardSecrets.expiry)""#), 201),
            (bridgePay(request: #""gatewayPassword":"\#(CardSecrets.passwords[0])""#), 201),
            (bridgePay(request: #""note":"password=\#(CardSecrets.passwords[1]) user=me""#), 201),
            (dejavoo(#""privateKey":"\#(CardSecrets.privateKey)""#), 201),
            (
                dejavoo(
                    #""pem":"-----BEGIN PRIVATE KEY-----\n\#(CardSecrets.privateKey)\n-----END PRIVATE KEY-----""#
                ), 201
            ),
        ]
    }

    /// Secrets under the names used by each vendor, in documents that its adapter may or may not be able to read.
    private mutating func everyVendor() -> [Planted] {
        let number = CardSecrets.made[2]
        let track = CardSecrets.track2.dropFirst().dropLast().replacing("=", with: "D") + "F"
        let tlv = "5713\(track)5A08\(number)9908\(CardSecrets.pinBlocks[0])5F2009444F452F4A414E4520"
        let members = """
            "accessCode":"\(CardSecrets.passwords[3])","userPassword":"\(CardSecrets.passwords[1])","pan":"\(number)",\
            "sharedSecret":"\(CardSecrets.passwords[0])","track2":"\(CardSecrets.track2)","tlv":"\(tlv)",\
            "onlinePinBlock":"\(CardSecrets.pinBlocks[1])","pinBlock":"\(CardSecrets.pinBlocks[0])",\
            "cvv":"\(CardSecrets.longCodes[0])","tags":{"57":"\(track)","5A":"\(number)","99":"\(CardSecrets.pinBlocks[0])"},\
            "note":"card \(CardSecrets.grouped(number, by: " ")) password: \(CardSecrets.passwords[2])"
            """
        let text = """
            AccessCode: \(CardSecrets.passwords[3])\\nPassword: \(CardSecrets.passwords[1])\\nCardNumber: \(number)\\n\
            pinBlock = \\"\(CardSecrets.pinBlocks[1])\\";\\nTrack2: \(CardSecrets.track2)\\ncvv: \(CardSecrets.longCodes[1]);\\n\
            57: \(track)
            """
        var planted: [Planted] = []
        for adapter in VendorAdapters.all {
            let vendor = adapter.vendor.rawValue
            for kind in adapter.kinds + ["an unknown kind"] {
                for body in [
                    "{\(members)}", "{\"x\":{\(members)},\"list\":[{\(members)}]}", "\"\(text)\"", "\"\(tlv)\"",
                ] {
                    let record = #"{"kind":"\#(kind)","device":"\#(CardSecrets.canary)-\#(nextID())","body":\#(body)}"#
                    planted.append((post(vendor, record), nil))
                }
            }
        }
        return planted
    }

    /// Documents in which only vendor and kind show that there is a secret, in records that are accepted, refused by
    /// the adapter, refused by the rules for records, and refused because they are not JSON.
    private mutating func answers() -> [Planted] {
        let code = CardSecrets.passwords[3]
        let bytes = CardSecrets.encoded
        var documents: [(vendor: String, kind: String, body: String)] = []
        for body in ["\"\(code)\"", "[\"\(code)\"]", "{\"length\":6,\"string\":\"\(code)\"}"] {
            for kind in ["generateAccessCode", "GenerateAccessCode"] { documents.append(("paydiant", kind, body)) }
        }
        for block in [CardSecrets.pinBlocks[0], bytes[0]] {
            for kind in [
                "SimplifiedOnlinePINCommand", "SimplifiedOnlinePinCommand", "GetSecuredTagCommand", "UCubeAPI",
            ] {
                documents += [
                    ("youtransactor", kind, "\"\(block)\""),
                    ("youtransactor", kind, #"{"event":"success","parameters":["\#(block)"]}"#),
                    ("youtransactor", kind, #"{"event":"success","method":"sendData","result":"\#(block)"}"#),
                ]
            }
            documents.append(("youtransactor", "sendData.didFinish", #"{"success":true,"parameters":["\#(block)"]}"#))
        }
        documents += [
            (
                "youtransactor", "PaymentContext",
                #"{"authorizationPlainTagsValues":{"90":"\#(bytes[1])","40706":"1250"}}"#
            ),
            ("youtransactor", "PaymentContext", #"{"authorizationPlainTagsValues":"\#(bytes[2])"}"#),
            ("youtransactor", "GetPlainTagCommand", #"{"event":"success","response":"\#(bytes[2])"}"#),
            ("dejavoo", "Register", #"{"tpn":"1","merchantCode":"\#(code)"}"#),
            ("handpoint", "clientForDevice", #"{"sharedSecretString":"\#(code)"}"#),
            ("bridgepay", "BPNPaymentRequest", #"{"publicKey":"\#(code)"}"#),
            ("paydiant", "ObtainCheckoutTokenCompletionBlock", "\"\(code)\""),
        ]
        var planted: [Planted] = []
        for (vendor, kind, body) in documents {
            let record = #""kind":"\#(kind)","body":\#(body)"#
            planted += [
                (post(vendor, #"{"device":"\#(CardSecrets.canary)-\#(nextID())",\#(record)}"#), nil),
                (post(vendor, #"{\#(record),"occurredAt":"yesterday"}"#), 400),
                (post(vendor, #"{\#(record),"extra":1}"#), 400), (post(vendor, #"{\#(record),}"#), 400),
                (post("nobody", #"{\#(record)}"#), 404),
            ]
        }
        return planted
    }

    // MARK: Bad documents

    private mutating func refused(_ numbers: [String]) -> [Planted] {
        var planted: [Planted] = []
        for number in numbers {
            let spaced = CardSecrets.grouped(number, by: " ")
            planted += [
                (post("bridgepay", #"{"kind":"\#(number)","body":{"pan":"\#(number)"}}"#), 201),
                (post("dejavoo", #"{"kind":"Spin_Response","body":{"note":"\#(spaced)"}}"#), 422),
                (post("dejavoo", #"{"kind":"Spin_Response","extra":"\#(number)","body":{}}"#), 400),
                (post("dejavoo", #"{"kind":"Spin_Response","body":{"card":"\#(number)"#), 400),
                (post("dejavoo", "card=\(number)&exp=\(CardSecrets.expiry)&password=\(CardSecrets.passwords[2])"), 400),
                (post(number, #"{"kind":"BPNPayment","body":{"pan":"\#(number)"}}"#), 404),
            ]
        }
        let number = CardSecrets.made[0]
        let utf16 = #"{"pan":"\#(number)"}"#.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let padding = String(repeating: "x", count: 1 << 20)
        planted += [
            (post("dejavoo", "", bytes: Array("\u{7B}\"pan\":\"\(number)".utf8) + [0xFF, 0xFE]), 400),
            (post("dejavoo", "", bytes: [0xFF, 0xFE] + utf16), 400),
            (post("dejavoo", #"{"kind":"Spin_Response","body":{"pan":"\#(number)","p":"\#(padding)"}}"#), 413),
            (post("dejavoo", #"{"p":"\#(padding)","pan":"\#(number)"}"#), 413),
            (post("dejavoo", String(repeating: #"{"\#(number)":"#, count: 70)), 400),
            (post("dejavoo", #"{"kind":"Spin_Response","body":{"pan":"\#(number)","pan":"\#(number)"}}"#), 400),
            (
                post(
                    "dejavoo",
                    numbers.map { #"{"kind":"Spin_Response","body":{"pan":"\#($0)"}}"# }.joined(separator: "\n")
                        + "\n\(numbers[0]) \(padding)\n\(track)\n",
                    type: "application/x-ndjson"
                ), 200
            ),
        ]
        return planted
    }

    private var track: String { CardSecrets.track1 + CardSecrets.track2 }

    // MARK: Places beside documents

    private mutating func elsewhere(_ numbers: [String]) -> [Planted] {
        var planted: [Planted] = []
        for number in numbers {
            planted += [
                (dejavoo("\"x\":1", fields: [("Idempotency-Key", number)]), 201),
                (dejavoo("\"x\":1", fields: [("X-Request-Id", number), ("User-Agent", number)]), 201),
                (
                    dejavoo(
                        "\"x\":1",
                        fields: [
                            (
                                "traceparent",
                                "00-\(number)\(String(repeating: "0", count: 32 - number.count))-0123456789012345-01"
                            ),
                            ("Cookie", "pan=\(number)"), ("X-Forwarded-For", number),
                            ("Referer", "http://x/?pan=\(number)"),
                        ]
                    ), 201
                ),
                (HTTPRequest(target: "/v1/transactions/\(number)"), 404),
                (HTTPRequest(target: "/v1/transactions?invoice=\(number)&auth_code=\(number)"), 200),
                (HTTPRequest(target: "/v1/transactions?status=\(number)"), 400),
                (HTTPRequest(target: "/v1/transactions?\(number)=\(number)"), 400),
                (HTTPRequest(target: "/v1/transactions?cursor=\(number)"), 400),
                (HTTPRequest(target: "/v1/events/\(number)"), 404),
                (HTTPRequest(target: "/v1/batches/\(number)"), 404),
                (HTTPRequest(target: "/\(number)?password=\(CardSecrets.passwords[0])"), 404),
                (HTTPRequest(target: "/v1/events", fields: [("Authorization", "Bearer \(number)")]), 401),
                (HTTPRequest(target: "/v1/transactions", fields: [("Accept", "text/\(number)")]), nil),
                (HTTPRequest(target: "/v1/transactions/%34\(number.dropFirst())"), 404),
            ]
        }
        planted.append((dejavoo("\"x\":1", fields: [("Idempotency-Key", Self.harmlessKey)]), 201))
        planted.append((HTTPRequest(method: numbers[0], target: "/v1/transactions"), nil))
        return planted
    }

    // MARK: Building

    private mutating func bridgePay(request: String? = nil, response: String? = nil, context: String? = nil)
        -> HTTPRequest
    {
        let id = nextID()
        let json = """
            {"kind":"BPNPayment",\(context.map { "\($0)," } ?? "")"device":"\(CardSecrets.canary)-\(id)","body":{\
            "BPNPaymentRequest":{\(request.map { "\($0)," } ?? "")"invoiceNumber":"7","amount":"7.50",\
            "tenderType":"TENDER_TYPE_CREDIT","transactionType":"TRANSACTION_TYPE_SALE"},"BridgeCommResponse":{\
            \(response.map { "\($0)," } ?? "")"requestType":"004","responseCode":"0","authorizedAmount":"$7.50",\
            "originalAmount":"$7.50","gatewayTransactionID":"\(id)","gatewayMessage":"A01 - Approved",\
            "gatewayResult":"00000","ISOCurrencyCode":"USD"}}}
            """
        return post("bridgepay", json)
    }

    private mutating func dejavoo(_ members: String, fields: [(name: String, value: String)] = []) -> HTTPRequest {
        let id = nextID()
        let json = """
            {"kind":"Spin_Response","device":"\(CardSecrets.canary)-\(id)","body":{"Spin_Response":{\(members),\
            "PNRef":"\(id)","ResultCode":"0","HostResponseCode":"00","ExtData":{"Amount":"10.00","TotalAmt":"10.00",\
            "RRN":"\(id)","txnLabel":"Sale"}}}}
            """
        return post("dejavoo", json, fields: fields)
    }

    private func post(
        _ vendor: String,
        _ text: String,
        bytes: [UInt8]? = nil,
        type: String = "application/json",
        fields: [(name: String, value: String)] = []
    ) -> HTTPRequest {
        HTTPRequest(
            method: "POST",
            target: "/v1/intake/\(vendor)",
            fields: fields + [("Content-Type", type)],
            body: bytes ?? Array(text.utf8)
        )
    }

    private mutating func nextID() -> String {
        count += 1
        let digits = String(count)
        return "7" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}
