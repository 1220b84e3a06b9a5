import Canonical
import Payments

// The next value of each table of the document.
extension HandpointTill {
    mutating func playTables(_ script: inout Script) {
        let count = HandpointTables.results.count
        let turn = purchase.turn % (count + 7)
        reportBeside(purchase.turn, &script)
        switch turn {
        case ..<count: end(HandpointTables.results[turn], &script)
        case count + 6: cancelCredit(&script)
        default: approve(values: turn - count, &script)
        }
    }

    private func reportBeside(_ turn: Int, _ script: inout Script) {
        let level = HandpointTables.levels[turn % HandpointTables.levels.count]
        script.report("logSetLevel", ["level": .string(level)], isOfPayment: false)
        let error = HandpointTables.besides[turn % HandpointTables.besides.count]
        let body = forms.status(error.code, error.status, error.message, allowsCancel: false)
        script.report("responseError", body, isOfPayment: false)
        let empty = forms.status(10, "No data available", "No data available", allowsCancel: false)
        script.report("responseLogInfo", empty, isOfPayment: false)
        var scan = forms.status(48, "Scanner event", "", allowsCancel: false).object ?? [:]
        scan["scanCode"] = "2900000000005"
        script.report("responseScannerEvent", .object(scan), isOfPayment: false)
    }

    private mutating func end(_ result: HandpointTables.Result, _ script: inout Script) {
        begin(&script)
        let isPosted = random.chance(percent: 50)
        script.truly { result.meaning.apply(to: &$0, isPosted: isPosted, in: batch) }
        let isError = result.financial == "FAILED" && result.meaning == .failed
        var ending = ending(result.financial, 0, result.message)
        if result.meaning == .unknown { ending.type = result.code == 44 ? "SALE" : "UNDEFINED" }
        var body = forms.finance(ending, at: script.deviceNow).object ?? [:]
        body["statusCode"] = .number(.init(result.code))
        body["status"] = .string(result.status)
        if isError {
            body = forms.error(.success, asked).object ?? [:]
            body["statusCode"] = .number(.init(result.code))
            body["status"] = .string(result.status)
            var xml = body["xml"]?.object ?? [:]
            xml["StatusMessage"] = .string(result.message)
            body["xml"] = .object(xml)
        } else {
            script.prints(String(forms.terminal.shown(script.deviceNow).rfc3339.prefix(19)))
        }
        // Both callbacks can have any of the codes.
        script.report(isError && habits.chance(percent: 50) ? "responseError" : "responseFinanceStatus", .object(body))
    }

    /// The whole progress, then an approval in the document's own words.
    private mutating func approve(values index: Int, _ script: inout Script) {
        let entry = HandpointTables.entries[index % HandpointTables.entries.count]
        let isPresent = entry != "CNP"
        let months = HandpointTables.months[index % HandpointTables.months.count]
        script.truly {
            $0.show("cardholderPresent", is: .bool(isPresent))
            if let months { $0.show("budgetMonths", months) }
        }
        // The names of the parameters, lines 97 to 102.
        var request = forms.request(asked)
        request["cardholder"] = nil
        request["present"] = .bool(isPresent)
        if let months { request["months"] = .number(.init(months)) }
        script.report("saleWithAmount", .object(request))
        deliverUnclaimed(&script)
        for (number, state) in HandpointTables.progress.enumerated() {
            script.wait(seconds: 1)
            let body = forms.status(state.code, state.status, state.message, allowsCancel: number < 15)
            script.report("responseStatus", body)
        }
        script.wait(seconds: 2)
        script.truly {
            $0.sell(in: batch)
            $0.ids["gatewayTransaction"] = .string(forms.reference)
        }
        script.prints(String(forms.terminal.shown(script.deviceNow).rfc3339.prefix(19)))
        var body = forms.finance(approval, at: script.deviceNow).object ?? [:]
        body["status"] = "Success"
        var xml = body["xml"]?.object ?? [:]
        xml["FinancialStatus"] = "APPROVED"
        xml["CVM"] = .string(HandpointTables.verifications[index % HandpointTables.verifications.count])
        xml["CardEntryType"] = .string(entry)
        xml["BatteryCharging"] = index % 2 == 0 ? "true" : "false"
        xml["ExternalPower"] = index % 2 == 0 ? "true" : "false"
        if index == 5 { xml["StatusMessage"] = "" }
        body["xml"] = .object(xml)
        script.report("responseFinanceStatus", .object(body))
    }

    /// A refund that the reader cancels: the cardholder received nothing.
    private mutating func cancelCredit(_ script: inout Script) {
        script.report("refundWithAmount", .object(forms.request(asked)))
        progress(&script)
        script.truly { $0.credit(in: batch) }
        var ending = approval
        ending.type = "REFUND"
        ending.message = "REFUND ACCEPTED"
        ending.tip = 0
        finish(&script, ending)
        script.wait(seconds: 3)
        script.truly {
            $0.void()
            $0.alternatives = [.reversed, .cancelled]
        }
        reverse(&script, "CANCEL_REFUND")
    }
}
