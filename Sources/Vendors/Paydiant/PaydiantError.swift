import Payments

/// `PDPaydiantError`: the reason why a call failed. Source: PayPal white-label wallet, iOS error objects.
struct PaydiantError {
    let pointer: String
    /// The call's status: a number of `PaydiantFault`.
    let status: String?
    /// The platform's code for the payment, in `PDErrorInformation`: a number of `PaydiantPaymentCode`.
    let paymentCode: String?
    /// The code of a system behind the platform, in `PDExternalErrorInformation`.
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

    /// The answer as stored in events, with the call's code. The platform's code belongs to another number space and is
    /// a separate detail.
    var response: Response { Response(code: status ?? paymentCode, message: message) }

    /// Nil for a code that is not in the call's table.
    func fault(of method: PaydiantMethod) -> PaydiantFault? {
        status.flatMap { Int($0) }.flatMap { PaydiantFault.codes(of: method)[$0] }
    }

    /// The meaning of both codes for the money. The platform's code can decide if the call's code does not. If the
    /// platform reports that money was taken although the call failed, the outcome is unknown.
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
