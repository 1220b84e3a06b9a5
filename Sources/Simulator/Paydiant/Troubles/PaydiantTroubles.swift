import Canonical
import Payments

// The troubles of checkouts.
extension PaydiantTill {
    mutating func play(_ trouble: Trouble, _ script: inout Script) {
        switch trouble {
        case .deposit: deposit(&script)
        case .partialWithdrawal: withdrawPart(&script)
        case .codeTables: playTables(&script)
        default:
            begin(.purchase, &script)
            race(cancellationOf: &script)
        }
    }

    /// Up to the payment.
    mutating func begin(_ purpose: PaydiantForms.Purpose, _ script: inout Script) {
        if purpose == .cash { script.truly { $0.isCash = true } }
        script.report("ObtainCheckoutTokenCompletionBlock", forms.obtained(purpose))
        script.wait(seconds: random.within(5...30))
        script.report(
            "RetriveTransactionMetaDataCompletionBlock",
            forms.discovered(purpose, due: purpose == .cash ? nil : due)
        )
        script.wait(seconds: random.within(3...20))
    }
}

extension PaydiantForms {
    /// A failure block's body.
    ///
    /// - Parameters:
    ///   - name: The name of the block's argument.
    ///   - request: The arguments of the call.
    static func failure(_ name: String, _ code: Int64, in domain: String, _ request: JSONObject) -> JSONValue {
        [
            "request": .object(request),
            name: ["code": .number(.init(code)), "domain": .string("kUserError\(domain)Domain")],
        ]
    }

    /// The arguments of `cancelTransactionUsingToken`.
    var cancellation: JSONObject { ["checkoutToken": .string(token), "transRefId": .string(transaction)] }
}
