import Canonical

extension BridgePayTill {
    /// A forced sale, or one that was authorised by telephone: guide, lines 603 to 626. Both take the money.
    mutating func sellBeside(_ trouble: Trouble, _ script: inout Script) {
        approach(&script)
        let voice = "VA\(random.digits(4))"
        let isForced = trouble == .forcedSale
        let details = SaleDetails(purchase, givesCash: isForced && purchase.card.isDebit, &random)
        script.truly { details.note(in: &$0) }
        approve(&script) { request, _ in
            details.add(to: &request)
            if isForced {
                request["forceOnDuplicate"] = true
            } else {
                request["voiceAuthCode"] = .string(voice)
            }
        }
    }
}
