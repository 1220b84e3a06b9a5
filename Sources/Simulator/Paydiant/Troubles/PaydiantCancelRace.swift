import Canonical
import Payments

extension PaydiantTill {
    /// Only a transaction in process can be cancelled: document, line 254.
    mutating func race(cancellationOf script: inout Script) {
        let cancellation: JSONValue = ["request": .object(forms.cancellation)]
        switch random.below(3) {
        case 0:
            script.truly {
                $0.end(.cancelled)
                $0.cancellation = "honoured"
            }
            script.report("cancelTransactionUsingToken", cancellation)
            script.wait(seconds: 2)
            script.report("CancelTransactionCompletionBlock", cancellation)
        case 1:
            pay(&script)
            script.wait(seconds: 4)
            script.truly { $0.cancellation = "too-late" }
            script.report("cancelTransactionUsingToken", cancellation)
            script.wait(seconds: 2)
            script.report(
                "CancelTransactionFailureBlock",
                PaydiantForms.failure("transactionError", 419, in: "CancelTransaction", forms.cancellation)
            )
        default:
            // Both blocks report success. The document has no reversal of a completed payment.
            pay(&script)
            script.wait(seconds: 9)
            script.truly {
                $0.evidence = .indirect
                $0.flags = ["conflicting-outcome", "void-not-allowed"]
            }
            script.report("CancelTransactionCompletionBlock", cancellation)
        }
    }
}
