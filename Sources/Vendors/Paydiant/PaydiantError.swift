import Payments

/// `PDPaydiantError`: why a call failed. Source: PayPal white-label wallet, iOS error objects.
struct PaydiantError {
    let pointer: String
    /// Of the call: a number of `PaydiantFault`.
    let status: String?
    /// What the platform says of the payment, in `PDErrorInformation`: a number of `PaydiantPaymentCode`.
    let paymentCode: String?
    /// What somebody behind the platform said, in `PDExternalErrorInformation`.
    let externalCode: String?
    let message: String?
    /// The key of the app's messages, which names the call.
    let domain: String?

    /// - Throws: `missingField` for an error without any code.
    init(_ fields: Fields) throws {
        pointer = fields.pointer
        status = try fields.text("statuscode", "code")
        let information = fields.objects("errorinformation", "pderrorinformation").first.map { outer in
            outer.objects("pderrorinformation").first ?? outer
        }
        paymentCode = try information?.text("errorcode") ?? fields.text("errorcode")
        externalCode = try information?.objects("externalerrorinformation", "externalerrordescription").first?
            .text("externalerrorcode")
        message =
            try information?.text("errordescription") ?? fields.text("statusmessage", "description")
            ?? fields.text("localizeddescription")
        domain = try fields.text("domain", "usererrordomain", "errordomain")
        guard status != nil || paymentCode != nil else {
            throw Refusal(
                .missingField,
                "A PDPaydiantError has a statusCode.",
                pointer: fields.pointer(to: "statusCode")
            )
        }
    }

    /// The answer as events keep it: the code of the call. That of the platform, which is of another number space, is a
    /// detail beside it.
    var response: Response { Response(code: status ?? paymentCode, message: message) }

    /// Nil for a code that is not in the call's table.
    func fault(of method: PaydiantMethod) -> PaydiantFault? {
        status.flatMap { Int($0) }.flatMap { PaydiantFault.codes(of: method)[$0] }
    }

    /// What both codes together say about the money. The platform's code can settle what the call's code leaves open.
    /// Where it says that money was taken although the call failed, nobody knows.
    func meaning(for method: PaydiantMethod) -> CodeMeaning {
        let call = status == nil ? CodeMeaning.unknown : fault(of: method)?.meaning ?? .unknown
        guard let paymentCode else { return call }
        switch PaydiantPaymentCode.meaning(of: paymentCode).meaning {
        case .paid, .partlyPaid, .authorized, .partlyAuthorized, .refunded: return .unknown
        case .declined: return call == .unknown ? .declined : call
        case .failed, .duplicate: return call == .unknown ? .failed : call
        case .unknown, .notPayment: return call
        }
    }
}
