import Canonical
import Redaction

extension BridgePayAdapter {
    /// The MerchantAccountCode that a document names: the account its payment was made at. Nil where it names none.
    static func merchantAccount(in document: JSONValue) -> String? {
        guard let (object, _) = try? BridgePayText.structured(document) else { return nil }
        let body = Fields(object)
        func code(_ fields: Fields?) -> String? {
            // PayGuardian prints an unknown value as "(null)".
            (try? fields?.identifier("merchantaccountcode")).flatMap { $0 }
                .flatMap { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? $0 : nil }
        }
        for kind in BridgePayRequest.Kind.allCases {
            let request = (try? body.object(SensitiveNames.normalized(kind.rawValue))).flatMap { $0 }
            if let reported = code(request) { return reported }
        }
        if let reported = code((try? body.object("request")).flatMap { $0 }) { return reported }
        let payment = (try? body.object("bpnpayment")).flatMap { $0 } ?? body
        let answer = (try? payment.object("bridgecommresponse")).flatMap { $0 }
        return code(answer) ?? code(payment) ?? code(body)
    }
}
