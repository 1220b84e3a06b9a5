import Canonical

// Checks of what a void states about its payment, and of the signature. The facts count either way.
extension Judgement {
    /// Flags a void that states another amount or cardholder than its payment has, or that was made on another day,
    /// where the vendor forbids that. What its recorded request states counts as well.
    ///
    /// - Parameters:
    ///   - void: The void, reported for the first time.
    ///   - followUp: What the request for it asked for.
    ///   - amounts: The amounts that the void may state, in minor units; empty if none is known.
    mutating func judge(stated void: Return, askedAs followUp: FollowUp = .void, of amounts: [Int64]) {
        judge(void.stated, of: amounts)
        judge(state.steps.followUps.stated(by: followUp), of: amounts)
        guard policy.voidsOnSameDay, let at = void.at, isOnLaterDay(at) else { return }
        flag(.voidNotAllowed, "voided on a later day than the payment, which this vendor does not allow")
    }

    /// Flags the request for a void of this payment that is recorded after the void.
    mutating func judge(lateRequest event: DeviceEvent) {
        guard !state.closing.voids.isEmpty else { return }
        judge(AskedFollowUps.stated(byVoid: event), of: voidableAmounts)
    }

    private mutating func judge(_ stated: StatedPayment?, of amounts: [Int64]) {
        if let amount = stated?.amount, let currency = state.currency, !amounts.isEmpty {
            if amount.currency != currency {
                flag(
                    .currencyMismatch,
                    "the void states \(amount.currency.alpha), the payment is in \(currency.alpha)"
                )
            } else if !amounts.contains(amount.value) {
                let known = amounts.map(String.init).joined(separator: " or ")
                flag(.conflictingAmount, "the void states an amount of \(amount.value), the payment has \(known)")
            }
        }
        if let isPresent = stated?.isCardholderPresent, let known = state.identity.terms?.isCardholderPresent,
            isPresent != known
        {
            let word = isPresent ? "present" : "not present"
            flag(.voidNotAllowed, "the void states that the cardholder is \(word), the payment the opposite")
        }
    }

    /// The amounts that a void of the whole payment may state: the requested one, and the one with the tip.
    var voidableAmounts: [Int64] {
        let amounts = [state.authorization.requested, state.credit?.amount ?? state.captures.first?.amount]
        return Set(amounts.compactMap(\.self)).sorted()
    }

    /// True if the time is certainly on a later day: by the reader's own clock, or because a day has passed.
    private func isOnLaterDay(_ time: ReportedTime) -> Bool {
        let day: Int64 = 86_400_000_000
        switch time {
        case .local(let time):
            guard let made = state.times.earliest.local else { return false }
            return time.microsecondsSince1970 / day > made.microsecondsSince1970 / day
        case .instant(let time):
            guard let made = state.times.earliest.instant else { return false }
            return made.adding(microseconds: day) <= time
        }
    }

    /// Flags a payment that was approved although its signature was declined, or not confirmed in time, whichever was
    /// reported first.
    mutating func judgeSignature() {
        guard let signature = next.steps.signature, signature.isRefusal, next.outcome?.movesMoney == true,
            state.steps.signature != signature || state.outcome?.movesMoney != true
        else { return }
        let word = signature == .declined ? "was declined" : "timed out"
        flag(.conflictingOutcome, "the signature \(word), and the payment is approved")
    }
}
