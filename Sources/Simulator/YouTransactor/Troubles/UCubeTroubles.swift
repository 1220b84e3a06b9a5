import Canonical
import Payments

// The troubles of payments at a uCube.
extension UCubeTill {
    mutating func play(_ trouble: Trouble, _ script: inout Script) {
        if trouble == .codeTables { return playTables(&script) }
        request(forms.request(.purchase, at: script.deviceNow), &script)
        script.wait(seconds: random.within(2...9))
        progress(&script, ["startTransaction"])
        race(cancellationOf: &script)
    }

    /// `pay.didFinish` with its status at both places, and changes of its context.
    func finish(_ status: String?, _ context: JSONObject, _ script: inout Script) {
        var context = context
        context["paymentStatus"] = status.map { .string($0) } ?? .null
        script.truly { $0.forgetReports() }
        script.report(
            "pay.didFinish",
            [
                "success": .bool(status == "approved"), "paymentStatus": status.map { .string($0) } ?? .null,
                "paymentContext": .object(context),
            ]
        )
    }
}
