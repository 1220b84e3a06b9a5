import Canonical

extension BridgePayTill {
    /// A forced sale, or one that was authorised by telephone: guide, lines 603 to 626. Both take the money.
    mutating func sellBeside(_ trouble: Trouble, _ script: inout Script) {
        approach(&script)
        let voice = "VA\(random.digits(4))"
        approve(&script) { request, _ in
            if trouble == .forcedSale {
                request["forceOnDuplicate"] = true
            } else {
                request["voiceAuthCode"] = .string(voice)
            }
        }
    }
}
