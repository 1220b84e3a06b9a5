import Canonical
import Payments

// The next value of each table of the guide.
extension BridgePayTill {
    mutating func playTables(_ script: inout Script) {
        switch BridgePayTables.turns[purchase.turn % BridgePayTables.turns.count] {
        case .sale(let index): sell(values: index, &script)
        case .error(let index): fail(BridgePayTables.errors[index], &script)
        case .special(let special): play(special, &script)
        }
    }

    private mutating func sell(values index: Int, _ script: inout Script) {
        approach(&script)
        for message in BridgePayTables.messages {
            script.report("EMVMessage", ["messageIdentifier": "33.", "subcommandIdentifier": .string(message)])
        }
        func value(_ table: [String]) -> JSONValue { .string(table[index % table.count]) }
        let isEven = index % 2 == 0
        approve(&script) { request, response in
            request["tenderType"] = value(BridgePayTables.tenders)
            request["industryType"] = value(BridgePayTables.industries)
            let type = index % 9 == 8 ? JSONValue.null : value(BridgePayTables.terminals)
            request["terminalCommConfig"] = ["terminalType": type]
            request["healthCareData"] = .null
            request["taxIndicator"] = value(BridgePayTables.taxes)
            for name in ["cardPresent", "enableTpi", "partialApproval", "disableAmountConfirmation"] {
                request[name] = .bool(isEven)
            }
            request["forceOnDuplicate"] = .bool(!isEven)
            if isEven { request["wallet"] = "new" }
            response["AVSResponse"] = value(BridgePayTables.addresses)
            response["CVResult"] = value(BridgePayTables.securityCodes)
            response["isCommercialCard"] = isEven ? "True" : "False"
            if isEven { response["responseCode"] = "00000" }
        }
    }

    private mutating func fail(
        _ error: (code: String, text: String, meaning: CodeMeaning),
        _ script: inout Script
    ) {
        if error.meaning == .unknown { approach(&script) }
        let isPosted = random.chance(percent: 50)
        script.truly { error.meaning.apply(to: &$0, isPosted: isPosted, in: batch) }
        let code: JSONValue = Int64(error.code).map { .number(.init($0)) } ?? .string(error.code)
        fail(&script, code: code, error.text, "SALE")
    }

    private mutating func play(_ special: BridgePayTables.Special, _ script: inout Script) {
        switch special {
        case .cancelledAnswer:
            // Lines 808 and 2138.
            approach(&script)
            script.truly { CodeMeaning.cancelled.apply(to: &$0, isPosted: false, in: batch) }
            var answer = forms.followUpResponse(.init(message: nil, text: "Cancelled", result: "(null)"), type: "004")
            answer["responseCode"] = "1"
            answer["responseDescription"] = "Cancelled"
            answer["gatewayTransactionID"] = "(null)"
            let request = forms.request("SALE", amount: purchase.basket.total)
            report(&script, request, answer, receipt: nil)
        case .token:
            // Line 347: a token is no payment.
            script.truly { $0.end(.completed) }
            let request = forms.request("PCI_TOKEN", amount: nil)
            var answer = forms.followUpResponse(.approved, type: "001")
            answer["token"] = .string(forms.token)
            script.report("BPNPayment", ["BPNPaymentRequest": .object(request), "BridgeCommResponse": .object(answer)])
        case .found:
            // Lines 342 and 800: the answer reports the earlier sale, which counts once.
            approach(&script)
            let (total, time) = (purchase.basket.total, script.deviceNow)
            approve(&script) { _, _ in }
            script.wait(seconds: 60)
            let request = forms.request("FIND_TRANSACTION", amount: nil, original: forms.gatewayID)
            let answer = forms.response(
                .approved,
                type: "023",
                description: "sale",
                authorized: total,
                original: total,
                code: code,
                at: time
            )
            script.report("BPNPayment", ["BPNPaymentRequest": .object(request), "BridgeCommResponse": .object(answer)])
        case .password, .merchantInfo:
            // Lines 793 and 794: beside any payment.
            let type = special == .password ? "007" : "011"
            let beside = forms.followUpResponse(.init(message: nil, text: "(null)", result: "00000"), type: type)
            script.report("BridgeCommResponse", .object(beside), isOfPayment: false)
            approach(&script)
            approve(&script) { _, _ in }
        }
    }
}
