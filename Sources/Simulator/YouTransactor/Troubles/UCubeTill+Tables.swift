import Canonical
import Payments

// The next value of each table of the document.
extension UCubeTill {
    mutating func playTables(_ script: inout Script) {
        reportBeside(&script)
        switch UCubeTables.turns[purchase.turn % UCubeTables.turns.count] {
        case .failure(let index):
            begin(.purchase, &script)
            fail(UCubeTables.failures[index], &script)
        case .silence:
            begin(.purchase, &script)
            progress(&script, ["authorization"])
            let isPosted = random.chance(percent: 50)
            script.truly { CodeMeaning.unknown.apply(to: &$0, isPosted: isPosted, in: batch) }
            script.wait(seconds: 20)
            finish(nil, forms.request(.purchase, at: script.deviceNow), &script)
        case .type(let kind): complete(kind, &script)
        }
    }

    private mutating func begin(_ kind: UCubeForms.Kind, _ script: inout Script) {
        var request = forms.request(kind, at: script.deviceNow)
        request["onlinePinBlockFormat"] = "blockISO9564Format0"
        request["readers"] = purchase.card.entry == .contactless ? ["NFC"] : ["ICC"]
        request["authorizationPlainTags"] = ["4F", "50", "5F2A", "5F34"]
        request["authorizationSecuredTags"] = ["5A", "57", "56", "5F20"]
        request["finalizationSecuredTags"] = ["5F24", "5F30"]
        self.request(request, &script)
        progress(&script, UCubeTables.before)
    }

    private mutating func fail(_ failure: (status: String, meaning: CodeMeaning), _ script: inout Script) {
        script.truly { failure.meaning.apply(to: &$0, isPosted: false, in: batch) }
        var context = forms.request(.purchase, at: script.deviceNow)
        switch failure.status {
        case "cancelled":
            // Lines 339, 347 and 348.
            script.report("AuthorizationTask", ["event": "cancelled"])
            script.report("WaitCardCommand", ["event": "failed", "status": -32])
            script.report("StartNFCTransactionCommand", ["event": "failed", "status": -28])
            context["nfcOutcome"] = "003A000000"
        case "errorShuttingDown":
            script.report("WaitCardCommand", ["event": "failed", "status": "SHUTTING_DOWN"])
        default: break
        }
        finish(failure.status, context, &script)
    }

    private mutating func complete(_ kind: UCubeForms.Kind, _ script: inout Script) {
        begin(kind, &script)
        let isContactless = purchase.card.entry == .contactless
        progress(&script, (isContactless ? UCubeTables.contactless : UCubeTables.chip) + ["authorization"])
        script.truly { truth in
            truth.isCash = kind.sellsCash
            switch kind {
            case .refund: truth.credit(in: batch)
            case .inquiry:
                truth.operation = .verification
                truth.end(.verified)
            case .purchase, .withdrawal, .purchaseCashback, .manualCash: truth.sell(in: batch)
            }
        }
        answer(&script, "00")
        progress(&script, UCubeTables.after)
        let ending = UCubeForms.Ending(kind: kind, status: "approved", host: "00", last: "40")
        finish("approved", forms.context(ending, at: script.deviceNow), &script)
    }

    /// Commands and management beside any payment.
    private func reportBeside(_ script: inout Script) {
        let unknown: JSONValue = ["identifier": .string(reader.terminal.identifier), "device": .null]
        script.report("ConnectionManager.setDevice", unknown, isOfPayment: false)
        script.report("WaitCardCommand", ["event": "success"], isOfPayment: false)
        script.report("GetInfoCommand", ["event": "failed"], isOfPayment: false)
    }
}
