import Canonical
import Payments

extension Samples {
    private static let checkoutReference = CheckoutReference(
        vendor: .paydiant,
        digest: "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    )
    static let checkout = Pair(
        full: CheckoutReport(
            checkout: checkoutReference,
            response: response,
            amounts: amounts.full,
            references: references,
            details: [Detail("flowRule", "1")],
            at: at
        ),
        minimal: CheckoutReport(checkout: checkoutReference)
    )

    static let gateway = Pair(
        full: GatewayReport(
            reference: "0198c1c2-6a00-7000-8000-000000000001",
            gateway: "main",
            account: "320001",
            vendor: .bridgepay,
            operation: .find,
            about: "0198c1c2-6a00-7000-8000-000000000000",
            amount: usd(2340),
            tip: usd(100),
            references: references,
            verdict: .notPosted,
            differs: "another amount",
            failure: "read-timeout",
            response: response,
            at: instant,
            overBy: instant
        ),
        minimal: GatewayReport(reference: "1", gateway: "main", vendor: .handpoint, operation: .sale)
    )
}
