import Canonical
import Foundation
import Payments
import Testing

@testable import Gateways

/// The bytes of every request type of BridgeComm.
@Suite("BridgeComm requests") struct BridgeCommWireTests {
    private static let start =
        "<requestHeader><ClientIdentifier>SOAP</ClientIdentifier><TransactionID>R-1</TransactionID><RequestType>"
    private static let sender =
        "</RequestType><RequestDateTime>20260301123045</RequestDateTime><User>emvpgtest</User>"
        + "<Password>57!sE@3Fm&amp;&lt;&gt;</Password><requestMessage><MerchantCode>320000</MerchantCode>"
        + "<MerchantAccountCode>320001</MerchantAccountCode>"
    private static let end = "<SoftwareVendor>Daybook</SoftwareVendor></requestMessage></requestHeader>"

    private static let token = Known.secret(Known.cardToken)
    private static let original = OriginalPayment(gatewayTransaction: "214972201")

    static let requests: [(GatewayCall, type: String, message: String)] = [
        (
            GatewayCall(.token, reference: "R-1", token: token), "001",
            "<AcctType>R</AcctType><Token>11110000000001111</Token>"
        ),
        (
            GatewayCall(.sale, reference: "R-1", amount: Known.usd(750), tip: Known.usd(50), token: token), "004",
            "<TransactionType>sale</TransactionType><TransIndustryType>RE</TransIndustryType><AcctType>R</AcctType>"
                + "<HolderType>P</HolderType><Token>11110000000001111</Token><Amount>750</Amount>"
                + "<TipAmount>50</TipAmount><CurrencyCode>USD</CurrencyCode><InvoiceNum>R1</InvoiceNum>"
                + "<PartialAuthorization>false</PartialAuthorization>"
        ),
        (
            GatewayCall(.authorization, reference: "R-1", amount: Known.usd(750), invoice: "33333", token: token),
            "004",
            "<TransactionType>sale-auth</TransactionType><TransIndustryType>RE</TransIndustryType>"
                + "<AcctType>R</AcctType><HolderType>P</HolderType><Token>11110000000001111</Token>"
                + "<Amount>750</Amount><CurrencyCode>USD</CurrencyCode><InvoiceNum>33333</InvoiceNum>"
                + "<PartialAuthorization>false</PartialAuthorization>"
        ),
        (
            GatewayCall(
                .sale,
                reference: "R-1",
                amount: Known.usd(1200),
                tip: Known.usd(300),
                token: token,
                tender: "ebt-cash"
            ),
            "004",
            "<TransactionType>sale</TransactionType><TransIndustryType>RE</TransIndustryType><AcctType>H</AcctType>"
                + "<HolderType>P</HolderType><Token>11110000000001111</Token><Amount>1200</Amount>"
                + "<TipAmount>300</TipAmount><CurrencyCode>USD</CurrencyCode><InvoiceNum>R1</InvoiceNum>"
                + "<PartialAuthorization>false</PartialAuthorization>"
        ),
        (
            GatewayCall(.refund, reference: "R-1", amount: Known.usd(500), token: token), "004",
            "<TransactionType>credit</TransactionType><TransIndustryType>RE</TransIndustryType><AcctType>R</AcctType>"
                + "<HolderType>P</HolderType><Token>11110000000001111</Token><Amount>500</Amount>"
                + "<CurrencyCode>USD</CurrencyCode><InvoiceNum>R1</InvoiceNum>"
                + "<PartialAuthorization>false</PartialAuthorization>"
        ),
        (
            GatewayCall(
                .tipAdjustment,
                reference: "R-1",
                original: original,
                amount: Known.usd(700),
                tip: Known.usd(200)
            ), "004",
            "<TransactionType>adjustment</TransactionType><AcctType>R</AcctType><Amount>700</Amount>"
                + "<TipAmount>200</TipAmount><ReferenceNumber>214972201</ReferenceNumber>"
        ),
        (
            GatewayCall(.passwordChange, reference: "R-1", newPassword: Known.secret("new\"er")), "007",
            "<NewPassword>new&quot;er</NewPassword><ConfirmPassword>new&quot;er</ConfirmPassword>"
        ),
        (GatewayCall(.merchantInformation, reference: "R-1"), "011", ""),
        (
            GatewayCall(.void, reference: "R-1", original: original), "012",
            "<TransactionType>void</TransactionType><ReferenceNumber>214972201</ReferenceNumber>"
        ),
        (
            GatewayCall(.reversal, reference: "R-1", original: original), "012",
            "<TransactionType>void</TransactionType><ReferenceNumber>214972201</ReferenceNumber>"
        ),
        (
            GatewayCall(.refund, reference: "R-1", original: original, amount: Known.usd(100)), "012",
            "<TransactionType>refund</TransactionType><Amount>100</Amount>"
                + "<ReferenceNumber>214972201</ReferenceNumber><InvoiceNum>R1</InvoiceNum>"
        ),
        (
            GatewayCall(.giftActivation, reference: "R-1", amount: Known.usd(2500), token: token), "014",
            "<TransactionType>activate</TransactionType><AcctType>G</AcctType><Token>11110000000001111</Token>"
                + "<Amount>2500</Amount><InvoiceNum>R1</InvoiceNum>"
        ),
        (
            GatewayCall(.giftLoad, reference: "R-1", amount: Known.usd(2500), token: token), "014",
            "<TransactionType>reactivate</TransactionType><AcctType>G</AcctType><Token>11110000000001111</Token>"
                + "<Amount>2500</Amount><InvoiceNum>R1</InvoiceNum>"
        ),
        (
            GatewayCall(.giftDeactivation, reference: "R-1", token: token), "014",
            "<TransactionType>deactivate</TransactionType><AcctType>G</AcctType><Token>11110000000001111</Token>"
                + "<InvoiceNum>R1</InvoiceNum>"
        ),
        (
            GatewayCall(.accountInquiry, reference: "R-1", token: token, tender: "gift"), "015",
            "<TransactionType>balance-inquiry</TransactionType><AcctType>G</AcctType><Token>11110000000001111</Token>"
        ),
        (
            GatewayCall(.capture, reference: "R-1", original: original, amount: Known.usd(750), tip: Known.usd(50)),
            "019",
            "<TransactionType>capture</TransactionType><Amount>750</Amount><TipAmount>50</TipAmount>"
                + "<ReferenceNumber>214972201</ReferenceNumber>"
        ),
        (GatewayCall(.settlement, reference: "R-1"), "020", ""),
        (
            GatewayCall(.find, reference: "R-1", original: original), "023",
            "<GatewayTransID>214972201</GatewayTransID>"
        ),
        (
            GatewayCall(
                .find,
                reference: "R-1",
                original: OriginalPayment(reference: "0198c1c2-6a00-7000-8000-00000000abcd")
            ), "023", "<InvoiceNum>00000000abcd</InvoiceNum>"
        ),
        (
            GatewayCall(.find, reference: "R-1", original: OriginalPayment(invoice: "A&B")), "023",
            "<InvoiceNum>A&amp;B</InvoiceNum>"
        ),
        (
            GatewayCall(.find, reference: "R-1", original: OriginalPayment(purchaseToken: token)), "023",
            "<PurchaseToken>11110000000001111</PurchaseToken>"
        ),
    ]

    @Test("Every request has exactly these bytes", arguments: requests)
    func bytes(_ call: GatewayCall, _ type: String, _ message: String) throws {
        let request = try Known.bridgecomm.request(for: call, at: Known.now)
        let inner = Self.start + type + Self.sender + message + Self.end
        let envelope =
            #"<?xml version="1.0" encoding="utf-8"?><soapenv:Envelope "#
            + #"xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" "#
            + #"xmlns:req="http://bridgepaynetsecuretx.com/requesthandler"><soapenv:Header/><soapenv:Body>"#
            + "<req:ProcessRequest><req:requestMsg>" + Data(inner.utf8).base64EncodedString()
            + "</req:requestMsg></req:ProcessRequest></soapenv:Body></soapenv:Envelope>"
        #expect(String(decoding: try decoded(request), as: UTF8.self) == inner)
        #expect(request.body == Array(envelope.utf8))
        #expect(request.method == .post && request.path == "")
        #expect(
            request.headers == [
                .init("Content-Type", "text/xml; charset=utf-8"),
                .init(
                    "SOAPAction",
                    "\"http://bridgepaynetsecuretx.com/requesthandler/IRequestHandler/ProcessRequest\""
                ),
            ]
        )
        #expect(try Known.bridgecomm.request(for: call, at: Known.now) == request)
    }

    private func decoded(_ request: WireRequest) throws -> [UInt8] {
        let text = String(decoding: request.body ?? [], as: UTF8.self)
        let start = try #require(text.firstRange(of: "<req:requestMsg>")).upperBound
        let end = try #require(text.firstRange(of: "</req:requestMsg>")).lowerBound
        return Array(try #require(Data(base64Encoded: String(text[start..<end]))))
    }

    @Test("All request types are covered here")
    func coverage() {
        #expect(Set(Self.requests.map(\.type)).count == 10)
        #expect(Set(Self.requests.map(\.0.operation)) == Set(GatewayOperation.allCases))
    }

    @Test("A private key is sent with the call's token, and without a user")
    func privateKey() throws {
        var account = Known.bridgecomm.account
        account.credentials = .privateKey(Known.secret("k-1"))
        let dialect = BridgeCommDialect(account: account)
        let call = GatewayCall(.sale, reference: "R-1", amount: Known.usd(750), token: Self.token)
        let text = String(decoding: try decoded(try dialect.request(for: call, at: Known.now)), as: UTF8.self)
        #expect(text.contains("<PrivateKey>k-1</PrivateKey><AuthenticationTokenId>11110000000001111<"))
        #expect(!text.contains("<User>") && !text.contains("<Token>"))
        #expect(throws: GatewayFailure.self) {
            try dialect.request(for: GatewayCall(.settlement, reference: "R-1"), at: Known.now)
        }
    }

    static let incomplete: [GatewayCall] = [
        GatewayCall(.sale, reference: "R-1", token: token),
        GatewayCall(.sale, reference: "R-1", amount: Known.usd(1)),
        GatewayCall(.sale, reference: "R-1", amount: Money(1, .jpy), token: token),
        GatewayCall(.sale, reference: "R-1", amount: Known.usd(1), invoice: "a\u{0}b", token: token),
        GatewayCall(.sale, reference: "R-1", amount: Known.usd(1), token: token, tender: "shells"),
        GatewayCall(.capture, reference: "R-1", original: original),
        GatewayCall(.capture, reference: "R-1", amount: Known.usd(1)),
        GatewayCall(.void, reference: "R-1"),
        GatewayCall(.tipAdjustment, reference: "R-1", original: original, amount: Known.usd(1)),
        GatewayCall(.find, reference: "R-1"),
        GatewayCall(.giftLoad, reference: "R-1", token: token),
        GatewayCall(.passwordChange, reference: "R-1"),
    ]

    @Test("An incomplete call is not sent", arguments: incomplete)
    func missing(_ call: GatewayCall) {
        #expect { try Known.bridgecomm.request(for: call, at: Known.now) } throws: {
            ($0 as? GatewayFailure)?.code == .incomplete
        }
    }
}
