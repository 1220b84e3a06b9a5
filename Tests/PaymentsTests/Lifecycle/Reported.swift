import Canonical
import Payments

/// Short constructors for facts as documents report them.
enum Reported {
    static func usd(_ minor: Int64) -> Money { Money(minor, .usd) }

    static func amounts(_ total: Int64, tip: Int64? = nil, _ currency: Currency = .usd) -> Amounts {
        Amounts(total: Money(total, currency), tip: tip.map { Money($0, currency) })
    }

    static func batch(_ number: Int) -> BatchReference {
        BatchReference(vendor: .dejavoo, account: "tpn", number: String(number))
    }

    /// A different time for each number.
    static func instant(_ second: Int) -> Timestamp { Timestamp(microsecondsSince1970: Int64(second) * 1_000_000) }
    static func time(_ second: Int) -> ReportedTime { .instant(instant(second)) }
    /// The local time of a terminal.
    static func local(_ second: Int) -> ReportedTime { .local(LocalTime(shown: instant(second))) }

    static func request(_ minor: Int64?, _ currency: Currency = .usd) -> PaymentRequest {
        PaymentRequest(amounts: minor.map { amounts($0, currency) })
    }

    static func approval(
        _ minor: Int64,
        of requested: Int64? = nil,
        by evidence: Evidence = .gateway,
        chip: ChipAmounts? = nil
    ) -> Approval {
        var card: CardPresentation?
        if let chip {
            card = CardPresentation()
            card?.chipAmounts = chip
        }
        return Approval(
            amounts: amounts(minor),
            requested: requested.map(usd),
            evidence: evidence,
            response: Response(code: "0"),
            references: References(),
            card: card
        )
    }

    static func approved(_ minor: Int64, by evidence: Evidence = .gateway) -> TransactionEvent {
        .authorizationApproved(approval(minor, by: evidence))
    }

    static func verdict(_ evidence: Evidence = .gateway, at: ReportedTime? = nil) -> Verdict {
        Verdict(evidence: evidence, response: Response(code: "1"), at: at)
    }

    static func resolved(
        _ outcome: Resolution.Outcome,
        _ means: Resolution.Means,
        _ minor: Int64? = nil,
        by evidence: Evidence = .gateway
    ) -> TransactionEvent {
        let amounts = minor.map { Self.amounts($0) }
        return .outcomeResolved(Resolution(outcome: outcome, means: means, amounts: amounts, evidence: evidence))
    }

    static func captured(
        _ minor: Int64,
        tip: Int64? = nil,
        id: String = "capture",
        by evidence: Evidence = .gateway,
        in batch: Int? = nil
    ) -> TransactionEvent {
        .captured(Capture(id: id, amounts: amounts(minor, tip: tip), evidence: evidence, batch: batch.map(Self.batch)))
    }

    static func tip(_ minor: Int64, total: Int64? = nil, at: ReportedTime? = nil) -> TransactionEvent {
        .tipAdjusted(
            TipAdjustment(tip: usd(minor), amounts: total.map { amounts($0, tip: minor) }, evidence: .gateway, at: at)
        )
    }

    static func incremented(_ minor: Int64, id: String = "increment") -> TransactionEvent {
        .authorizationIncremented(Increment(id: id, delta: usd(minor), evidence: .gateway))
    }

    /// - Parameters:
    ///   - balance: The balance left to pay.
    ///   - off: The discount of one offer.
    static func tender(
        _ minor: Int64,
        tip: Int64? = nil,
        id: String = "tender",
        balance: Int64? = nil,
        off: Int64? = nil,
        isHeld: Bool = false,
        isPartial: Bool = false,
        by evidence: Evidence = .gateway
    ) -> TransactionEvent {
        .tenderApplied(
            Tender(
                id: id,
                amounts: amounts(minor, tip: tip),
                balance: balance.map(usd),
                offers: off.map { [NamedAmount(id: "offer", amount: usd($0))] },
                isPartial: isPartial,
                isCaptured: !isHeld,
                account: TenderAccount(kind: "gift", lastFour: "0119"),
                evidence: evidence
            )
        )
    }

    static func refused(
        _ outcome: TenderRefusal.Outcome = .declined,
        id: String? = nil,
        by evidence: Evidence = .gateway
    ) -> TransactionEvent {
        .tenderRefused(TenderRefusal(outcome: outcome, id: id, evidence: evidence))
    }

    static func dispensed(_ minor: Int64, of asked: Int64? = nil, id: String = "cash") -> TransactionEvent {
        .cashDispensed(Dispense(id: id, requested: asked.map(usd), dispensed: usd(minor), evidence: .gateway))
    }

    static func part(_ id: String, _ minor: Int64? = nil, in batch: Int? = nil, at: ReportedTime? = nil) -> Return {
        Return(id: id, amount: minor.map(usd), evidence: .gateway, batch: batch.map(Self.batch), at: at)
    }

    static func settlement(_ batch: Int? = 1, _ minor: Int64? = nil, at: ReportedTime? = nil) -> Settlement {
        Settlement(
            id: "settlement-\(batch ?? 0)",
            amount: minor.map(usd),
            batch: batch.map(Self.batch),
            at: at
        )
    }

    // MARK: Payments on which follow-ups build

    static func sale(_ minor: Int64, tip: Int64? = nil, in batch: Int? = nil) -> [TransactionEvent] {
        [
            .saleRequested(request(minor)), approved(minor),
            captured(minor, tip: tip, id: Capture.saleID, in: batch),
        ]
    }

    static func authorization(_ minor: Int64) -> [TransactionEvent] {
        [.authorizationRequested(request(minor)), approved(minor)]
    }

    static func credit(_ minor: Int64, in batch: Int? = nil) -> [TransactionEvent] {
        var approval = approval(minor)
        approval.batch = batch.map(Self.batch)
        return [.creditRequested(request(minor)), .creditApproved(approval)]
    }
}
