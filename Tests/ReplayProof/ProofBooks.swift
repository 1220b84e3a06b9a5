import Canonical
import DaybookTestKit
import Simulator

/// Compares the ledger with the gateway's own books.
struct ProofBooks: Sendable {
    let tenant: ProofTenant
    private var api: ProofAPI { tenant.api }

    init(of tenant: ProofTenant) { self.tenant = tenant }

    /// Compares the charges on the tenant's account.
    func compare(with books: [BookedPayment], _ outcome: inout ProofRun.Outcome) async throws {
        // The payments by the references with which the app sent them to the gateway.
        let sold = tenant.sold.payments
        // The payment of each call, by the gateway's reference for the call.
        var payments = sold
        try await api.each("/v1/events?type=GatewayCallSent") { event in
            if event["data"]?["account"]?.string != tenant.account {
                outcome.complain("a call of \(tenant.name) names the account of another tenant: \(event.text)")
            }
            guard let reference = event["data"]?["reference"]?.string, event["data"]?["operation"] == "sale",
                let stream = event["stream"]?.string
            else { return }
            payments[reference] = String(stream.dropFirst("transaction/".count))
        }
        var charged: [String: (count: Int, cents: Int64)] = [:]
        var gatewayTotal: Int64 = 0
        for booked in books where booked.isCharge && booked.account == tenant.account {
            gatewayTotal += booked.captured
            guard let payment = payments[booked.reference] else {
                outcome.complain("the ledger does not have the charge \(booked.reference)")
                continue
            }
            let before = charged[payment] ?? (0, 0)
            charged[payment] = (before.count + 1, before.cents + booked.captured)
            if before.count > 0 {
                outcome.doubleCharges += 1
                outcome.complain("\(payment) is charged \(before.count + 1) times")
            }
        }
        let inReview = try await inReview()
        outcome.inReview += inReview.count
        var ledgerTotal: Int64 = 0
        var seen = 0
        try await api.each("/v1/transactions") { payment in
            seen += 1
            let id = payment["id"]?.string ?? ""
            let status = payment["status"]?.string ?? ""
            let captured = payment["amounts"]?["captured"]?["value"]?.int64 ?? 0
            ledgerTotal += captured
            let booked = charged[id]?.cents ?? 0
            if captured != booked {
                outcome.complain("\(id) is \(status) with \(captured), and \(booked) at the gateway")
            }
            let isClosed = ["captured", "declined", "not-posted"].contains(status)
            if !isClosed, !inReview.contains(id) { outcome.complain("\(id) is \(status), and not listed for review") }
        }
        if seen != sold.count { outcome.complain("\(seen) payments in the ledger, \(sold.count) sold") }
        if gatewayTotal <= 0 { outcome.complain("nothing was charged") }
        outcome.chargedCents += gatewayTotal
        outcome.differenceCents += abs(ledgerTotal - gatewayTotal)
        if ledgerTotal != gatewayTotal {
            outcome.complain("\(ledgerTotal) in the ledger, \(gatewayTotal) at the gateway")
        }
    }

    /// The payments in the worklist that need review.
    private func inReview() async throws -> Set<String> {
        var found: Set<String> = []
        try await api.each("/v1/doubts") { doubt in
            guard doubt["attention"]?["isNeeded"] == true, let id = doubt["transaction"]?.string ?? doubt["id"]?.string
            else { return }
            found.insert(id)
        }
        return found
    }
}
