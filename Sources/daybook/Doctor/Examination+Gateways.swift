import Canonical
import Gateways

extension Examination {
    /// Asks every configured gateway for an answer.
    mutating func examineGateways(of settings: Settings) async {
        let gateways: [GatewayConfiguration]
        do {
            gateways = try settings.gateways()
        } catch {
            add("gateways", .bad, Failure(describing: error).message)
            return
        }
        if gateways.isEmpty { add("gateways", .idle, "none configured: payments in doubt need review") }
        let answers = await withTaskGroup(of: (Int, GatewayFailure?).self) { group in
            for (index, gateway) in gateways.enumerated() { group.addTask { (index, await gateway.reach()) } }
            return await group.reduce(into: [Int: GatewayFailure]()) { $0[$1.0] = $1.1 }
        }
        for (index, gateway) in gateways.enumerated() {
            let what =
                "\(gateway.kind.rawValue) at \(gateway.endpoint.host), \(gateway.accounts.count, "account") of \(gateway.tenant)"
            if let failure = answers[index] {
                add("gateway \(gateway.name)", .bad, "\(what): \(failure.detail) (\(failure.code.rawValue))")
            } else {
                add(
                    "gateway \(gateway.name)",
                    .fine,
                    "\(what), answers" + (gateway.sendsReversals ? ", reversals on" : "")
                )
            }
        }
    }
}
