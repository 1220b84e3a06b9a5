"""Cases of the self-test: what a stream of events leaves in the books. The amounts were worked out by hand."""
from .samples import (Log, amounts, cleared, exceptions, fact, file, line, matched, money, payout, raised, request,
                      resolved, sold)

P, V, S = "processor-receivable", "transaction/a", "processor-receivable/adyen-settlement"
GATEWAY_SALE = (request(), fact("AuthorizationApproved", amounts=1000), sold())
RELAYED_SALE = (request(), fact("AuthorizationApproved", "relayed", amounts=1000), sold(evidence="relayed"))
NOTHING = {}
KEPT = {P: 1000, "sales": -1000}


def payments():
    """Payments: a name, the events of one stream, and the balances they leave."""
    yield "the reader's decline is weaker", (*GATEWAY_SALE, fact("Declined", "reader")), KEPT
    yield "the gateway's decline is stronger", (*RELAYED_SALE, fact("Declined")), NOTHING
    yield "of equal rank, money counts", (*GATEWAY_SALE, fact("Cancelled")), KEPT
    yield "settlement ends a denial of the gateway", (
        request(), fact("Declined"),
        fact("OutcomeResolved", "settlement", outcome="approved", means="settlementLine")), KEPT
    yield "a decline of one tender", (*RELAYED_SALE, fact("Declined", attempted=money(5))), KEPT
    yield "a failure that was not sent, and was", (
        *RELAYED_SALE, ("AuthorizationSent", {"response": {}}), fact("Failed", condition="unless-sent")), KEPT
    yield "a void of a till does not end the gateway's money", (*GATEWAY_SALE, fact("Voided", "relayed", id="v")), KEPT
    yield "a void of a till ends relayed money", (*RELAYED_SALE, fact("Voided", "relayed", id="v")), NOTHING
    yield "until the gateway reports the payment", (
        *RELAYED_SALE, fact("Voided", "relayed", id="v"), fact("AuthorizationApproved", amounts=1000)), KEPT
    yield "the gateway's own void counts", (
        *GATEWAY_SALE, fact("Voided", "relayed", id="v"), fact("Voided", id="v")), NOTHING
    yield "void first", (fact("Voided", id="v"), *GATEWAY_SALE), NOTHING
    yield "part of the hold voided first", (fact("Voided", id="v", amount=400), *GATEWAY_SALE), KEPT
    yield "a reversed capture, by its id", (
        request(kind="AuthorizationRequested"), fact("Captured", id="1", amounts=400),
        fact("Captured", id="2", amounts=600), fact("CaptureReversed", id="1")), {P: 600, "sales": -600}
    yield "a repeated capture counts once, by the strongest report", (
        request(), sold(900, "reader"), sold(800), sold(700)), {P: 800, "sales": -800}
    yield "an unknown outcome that is resolved is a sale", (
        request(), fact("OutcomeUnknown"), fact("OutcomeResolved", outcome="approved", means="find")), KEPT
    yield "and is that capture when it is reported", (
        request(), fact("OutcomeResolved", outcome="approved", means="find"), sold()), KEPT
    yield "a hold that was unknown is no money", (
        request(kind="AuthorizationRequested"), fact("OutcomeResolved", outcome="approved", means="find")), NOTHING
    yield ("a tip adjustment implies the capture", (
        request(), fact("TipAdjusted", tip=200, amounts=amounts(1200, tip=200))),
        {P: 1200, "sales": -1000, "tips-payable": -200})
    yield ("tip before the capture that has it", (
        request(), fact("TipAdjusted", tip=200, amounts=amounts(1200, tip=200)), sold(1200)),
        {P: 1200, "sales": -1000, "tips-payable": -200})
    yield "a tip after a void of everything", (
        *GATEWAY_SALE, fact("Voided", id="v", amount=1000), fact("TipAdjusted", tip=200)), NOTHING
    batch, late = {"vendor": "dejavoo", "account": "t", "number": "1"}, "2026-03-02T09:00:00"
    sale, early = (request(), fact("AuthorizationApproved", amounts=1000), sold(batch=batch)), "2026-03-01T21:00:00"
    closing = fact("Settled", "settlement", id="s", batch=batch, at="2026-03-01T23:00:00")
    dejavoo, second = P + "/dejavoo", ("BatchAssigned", {"line": "capture:sale", "batch": {**batch, "generation": 2}})
    tipped, plain = {dejavoo: 1200, "sales": -1000, "tips-payable": -200}, {dejavoo: 1000, "sales": -1000}
    yield "a tip from before the closing of its batch", (*sale, closing, fact("TipAdjusted", tip=200, at=early)), tipped
    yield "a tip from after it", (*sale, closing, fact("TipAdjusted", tip=200, at=late)), plain
    yield "a tip without a time", (*sale, closing, fact("TipAdjusted", tip=200)), plain
    yield "a tip of money that settlement itself reports", (
        *sale, fact("Settled", "settlement", id="s", amount=1000, batch=batch, at="2026-03-01T23:00:00"),
        fact("TipAdjusted", tip=200, at=early)), plain
    yield "the last tip by its time", (
        *sale, fact("TipAdjusted", tip=200, at=early), fact("TipAdjusted", tip=100, at="2026-03-01T20:00:00")), tipped
    yield "a tip of money that is in the next use of the batch number, which is not closed", (
        *sale, closing, second, fact("TipAdjusted", tip=200)), plain
    yield "and of money that was put there before any closing", (
        *sale, second, fact("TipAdjusted", tip=200)), tipped
    yield "whose closing was recorded before", (
        *sale, closing, fact("Settled", "settlement", id="t", batch={**batch, "generation": 2}, at=late), second,
        fact("TipAdjusted", tip=200)), plain
    next_use, missing = {**batch, "generation": 2}, {**batch, "generation": 20260110}
    after = fact("Settled", "settlement", id="t", batch=next_use, at=late)
    yield "a tip from before the closing that took the money over", (
        *sale, closing, second, after, fact("TipAdjusted", tip=200, at="2026-03-02T08:00:00")), tipped
    yield "whose closing names its account differently", (
        *sale, closing, fact("Settled", "settlement", id="t", batch={**next_use, "account": "a"}, at=late), second,
        fact("TipAdjusted", tip=200)), plain
    yield "a tip of money whose settlement was rejected", (
        *sale, closing, after, fact("SettlementRejected", "settlement", id="s", batch=batch), second,
        fact("TipAdjusted", tip=200)), tipped
    yield "a tip of settled money in a use whose closing is missing", (
        *sale, closing, ("BatchAssigned", {"line": "capture:sale", "batch": missing}),
        fact("TipAdjusted", tip=200)), plain
    refund = fact("Refunded", id="r", amount=300, batch=batch)
    yield "a tip of money in no batch, when the closing is of the refund's", (
        *GATEWAY_SALE, refund, closing, fact("TipAdjusted", tip=200)), {
            dejavoo: 900, "sales": -1000, "refunds": 300, "tips-payable": -200}
    yield "and of a refund that was voided before", (
        *GATEWAY_SALE, refund, fact("RefundVoided", id="r"), closing, fact("TipAdjusted", tip=200)), plain
    yield "and of a refund that is in the next use of the number", (
        *GATEWAY_SALE, refund, ("BatchAssigned", {"line": "refund:r", "batch": next_use}), after,
        fact("TipAdjusted", tip=200)), {dejavoo: 900, "sales": -1000, "refunds": 300, "tips-payable": -200}
    yield ("the recipient, then the clerk", (
        request(amounts(1000, tip=100), references={"clerk": "7", "tipRecipient": "ann"}),
        sold(amounts(1000, tip=100))),
        {P: 1000, "sales": -900, "tips-payable/ann": -100})
    yield ("a refund that a till voids stays", (
        *GATEWAY_SALE, fact("Refunded", id="r", amount=300), fact("RefundVoided", "relayed", id="r")),
        {P: 700, "sales": -1000, "refunds": 300})
    yield ("a chargeback won in part", (
        *GATEWAY_SALE, fact("ChargedBack", id="k", amount=500), fact("ChargebackReversed", id="k", amount=200)),
        {P: 700, "sales": -1000, "dispute-receivable": 300})
    disputed = (*GATEWAY_SALE, fact("ChargedBack", id="k", amount=500))
    lost, won = (("Dispute" + name, {"chargeback": "k", "reason": "r"}) for name in ("Lost", "Won"))
    yield "a dispute that is lost", (*disputed, lost), {P: 500, "sales": -1000, "dispute-loss": 500}
    yield "and won after all", (*disputed, lost, won), {P: 500, "sales": -1000, "dispute-receivable": 500}
    yield ("lost before the chargeback is recorded", (
        *GATEWAY_SALE, lost, fact("ChargedBack", id="k", amount=500)),
        {P: 500, "sales": -1000, "dispute-receivable": 500})
    yield "a credit and the void of its refund", (
        request(kind="CreditRequested"), fact("CreditApproved", amounts=1000), fact("RefundVoided", id="r")), NOTHING
    yield ("a refund without an amount is what was open then", (
        *GATEWAY_SALE, fact("Refunded", id="r"), fact("TipAdjusted", tip=100)),
        {P: 100, "sales": -1000, "refunds": 1000, "tips-payable": -100})
    yield "funded in full", (*GATEWAY_SALE, fact("Funded", "settlement", id="f")), {"bank": 1000, "sales": -1000}
    yield "test payments", (
        ("DocumentReceived", {"vendor": "dejavoo", "isTest": True}), *GATEWAY_SALE), NOTHING
    yield ("the vendor of the documents, of the batch, of the reader", (
        ("CardPresented", {"reader": {"vendor": "handpoint", "serial": "1"}}), *GATEWAY_SALE),
        {P + "/handpoint": 1000, "sales": -1000})
    yield ("tender by tender", (
        request(tender="credit"), fact("TenderApplied", id="t", amounts=400, isCaptured=True, account={"kind": "Gift"}),
        fact("TenderApplied", id="u", amounts=600, isCaptured=True, account={"kind": "cash"})),
        {"gift-liability/gift": 400, "sales/gift": -400, "undeposited-cash/cash": 600, "sales/cash": -600})
    yield "a capture of a tender that was held", (
        request(), fact("TenderApplied", id="t", amounts=400, isCaptured=False, account={"kind": "gift"}),
        fact("Captured", id="tender:t", amounts=400)), {"gift-liability/gift": 400, "sales/gift": -400}
    yield "that the tender reports too, and that is reversed", (
        request(), fact("Captured", id="tender:t", amounts=400),
        fact("TenderApplied", id="t", amounts=400, isCaptured=True, account={"kind": "gift"}),
        fact("TenderApplied", id="u", amounts=600, isCaptured=True, account={"kind": "cash"}),
        fact("CaptureReversed", id="u")), {"gift-liability/gift": 400, "sales/gift": -400}
    yield "dispensed cash", (request(), fact("CashDispensed", id="d", dispensed=900)), {P: 900, "cash-machine": -900}
    yield "a load, and another report of it", tuple(
        ("GiftCardLoaded", {"amount": money(50), "response": {}, "references": {"gatewayTransaction": "g"}})
        for _ in range(2)), {"sales/gift": 50, "gift-liability/gift": -50}
    yield "another currency", (*GATEWAY_SALE, fact("Refunded", id="r", amount=money(5, "EUR"))), KEPT


def statements():
    """Statements: a name, a log, and the balances it leaves."""
    def log(*lines, format="adyen-settlement"):
        return Log().add("statement/s", *file(format, "processor", *lines))

    capture = line("l", "capture", 970, fees=-30, fee={"scheme": -30})
    suspended = {S: 970, "fees/scheme": 30, "suspense": -1000}
    yield "a line of two files counts once", log(capture).add(
        "statement/t", *file("csv", "processor", capture)), suspended
    yield "and as long as one of them counts", log(capture).add(
        "statement/t", *file("csv", "processor", capture)).add("statement/s", ("StatementWithdrawn", {})), suspended
    yield "a withdrawn file", log(capture).add("statement/s", ("StatementWithdrawn", {})), NOTHING
    began, part, _ = file("csv", "processor", capture)
    yield "an interrupted import", Log().add("statement/s", began, part), NOTHING
    found = raised("e", "missing-in-ledger", 1000, line="l")
    yield "its exception leaves it in suspense", log(capture).add("reconciliation/x", exceptions(found)), suspended
    for kind in ("timing", "corrected"):
        yield (f"a resolution as {kind}", log(capture).add("reconciliation/x", exceptions(found)).add(
            "exception/e", resolved(kind)), {S: -30, "fees/scheme": 30})
    yield "a match by hand", log(capture).add("reconciliation/x", exceptions(found)).add(
        "exception/e", resolved("matched")), {S: -30, "fees/scheme": 30}
    yield "and the next run", log(capture).add(V, *GATEWAY_SALE).add("reconciliation/x", exceptions(found)).add(
        "exception/e", resolved("matched")).add("reconciliation/x", matched(("l", "a", "capture:sale")), cleared("e")), {
        S: 970, "fees/scheme": 30, "sales": -1000}
    yield "resolved, cleared and reopened", log(capture).add("reconciliation/x", exceptions(found)).add(
        "exception/e", resolved("timing")).add("reconciliation/x", cleared("e")).add(
        "exception/e", ("ExceptionReopened", {})), suspended
    yield "and raised again", log(capture).add("reconciliation/x", exceptions(found)).add(
        "exception/e", resolved("written-off")).add("reconciliation/x", cleared("e")).add(
        "exception/e", ("ExceptionReopened", {})).add("reconciliation/x", exceptions(found)), suspended
    yield "matched by hand, reopened and unmatched", log(capture).add(V, *GATEWAY_SALE).add(
        "reconciliation/x", exceptions(found)).add("exception/e", resolved("matched")).add(
        "reconciliation/x", matched(("l", "a", "capture:sale")), cleared("e")).add(
        "exception/e", ("ExceptionReopened", {})).add("reconciliation/x", (
            "LinesUnmatched", {"links": [["l", "a", "capture:sale"]]}), exceptions(found)), {
        **suspended, P: 1000, "sales": -1000}
    yield "cleared, and not resolved", log(capture).add("reconciliation/x", exceptions(found), cleared("e")).add(
        "exception/e", ("ExceptionReopened", {})), suspended
    yield "raised again after a resolution", log(capture).add("reconciliation/x", exceptions(found)).add(
        "exception/e", resolved("timing")).add("reconciliation/x", exceptions(found)), suspended
    yield "a resolution of older evidence", log(capture).add(
        "reconciliation/x", exceptions(found), exceptions(found)).add("exception/e", resolved("timing", 4)), suspended
    yield ("a cleared exception that was written off", log(capture).add("reconciliation/x", exceptions(found)).add(
        "exception/e", resolved("written-off")).add("reconciliation/x", cleared("e")), suspended)
    yield "written off, and reopened", log(capture).add("reconciliation/x", exceptions(found)).add(
        "exception/e", resolved("written-off"), ("ExceptionReopened", {})), suspended
    yield "cleared and matched", log(capture).add(V, *GATEWAY_SALE).add(
        "reconciliation/x", exceptions(found), cleared("e"),
        matched(("l", "a", "capture:sale"))), {S: 970, "fees/scheme": 30, "sales": -1000}
    yield "unmatched again", log(capture).add(
        "reconciliation/x", matched(("l", "a", "capture:sale")),
        ("LinesUnmatched", {"links": [["l", "a", "capture:sale", "m"]]})), suspended
    paid = line("l", "capture", 900, paid=1000, paidCurrency="USD", currency="EUR")
    yield ("paid in another currency", log(paid).add(
        V, *GATEWAY_SALE).add("reconciliation/x", matched(("l", "a", "capture:sale"))),
        {"currency-clearing": 1000, "currency-clearing EUR": -900, S + " EUR": 900, "sales": -1000})
    differs = raised("e", "amount-differs", -30, line="l", transaction="a")
    yield ("paid in another currency, and unknown", log(paid),
           {"currency-clearing": 1000, "currency-clearing EUR": -900, S + " EUR": 900, "suspense": -1000})
    differs = raised("e", "amount-differs", -30, line="l", transaction="a", movement="capture:sale")
    yield ("of an amount that differs, the difference is in suspense", log(capture).add(
        V, request(), sold(1030)).add("reconciliation/x", exceptions(differs)),
        {S: 970, "fees/scheme": 30, "sales": -1030, "suspense": 30})
    missing = raised("e", "missing-at-processor", -1000, transaction="a")
    yield "a payment that is missing at the processor", Log().add(V, *GATEWAY_SALE).add(
        "reconciliation/x", exceptions(missing)), {"suspense": 1000, "sales": -1000}
    total = line("t", "batch", 980, role="total", group="g", fees=-20, fee={"discount": -20})
    yield ("a total with its parts, and its fees", log(
        total, line("p", "capture", 600, role="part", group="g"), line("q", "capture", 400, role="part", group="g")),
        {S: 980, "fees/discount": 20, "suspense": -1000})
    yield ("of any type, and parts of any type", log(
        line("t", "other", 95, role="total", group="g", fees=-5), line("p", "fee", -10, role="part", group="g"),
        line("q", "refund", 110, role="part", group="g")), {S: 95, "fees/other": 15, "suspense": -110})
    yield "a total whose parts no counted file lists any more", log(total).add("statement/t", *file(
        "csv", "processor", total, line("p", "capture", 1000, role="part", group="g")), ("StatementWithdrawn", {})), \
        {S: 980, "fees/discount": 20, "suspense": -1000}
    yield "a total without parts", log(total), {S: 980, "fees/discount": 20, "suspense": -1000}
    yield "the newest report of a payout", log(payout("r2", -300, 2), payout("r1", -200, 1)), {
        S: -300, "cash-in-transit": 300}
    yield "of equal ones, that of the highest id", log(payout("ra", -300, 1), payout("rb", -200, 1)), {
        S: -200, "cash-in-transit": 200}
    yield "of those that count", log(payout("r1", -200, 1)).add(
        "statement/t", *file("csv", "processor", payout("r2", -300, 2)), ("StatementWithdrawn", {})), {
        S: -200, "cash-in-transit": 200}
    yield "of one type", log(payout("r1", -200, 1), payout("r2", 200, 2, "payout-return")), NOTHING
    yield "and no other lines of a payout", log(payout("r1", -20, 1, "fee"), payout("r2", -30, 2, "fee")), {
        S: -50, "fees/other": 50}
    yield "two payouts that are not revised", log(payout("r1", -200), payout("r2", -200)), {
        S: -400, "cash-in-transit": 400}
    yield ("a chargeback without sale", log(line("l", "chargeback", -400)).add(
        "reconciliation/x", exceptions(raised("e", "chargeback-without-sale", -400, line="l"))),
        {S: -400, "suspense": 400})
    transfer = file("bai2", "bank", line("d", "deposit", 90))
    yield "a transfer with its exception", Log().add("statement/b", *transfer).add(
        "reconciliation/x", exceptions(raised("e", "unmatched-deposit", 90, line="d"))), {"bank": 90, "suspense": -90}
    yield "a payout that did not arrive", log(line("l", "payout", -90)).add(
        "reconciliation/x", exceptions(raised("e", "unmatched-deposit", -90, line="l"))), {S: -90, "suspense": 90}
    yield "a fee that another file reports, too", log(line("l", "fee", -25), line("m", "fee", -25)).add(
        "reconciliation/x", exceptions(raised("e", "duplicate-at-processor", -25, line="m"))), {
        S: -50, "fees/other": 25, "suspense": 25}
    yield "and of which the component is known", log(
        line("l", "fee", -25), line("m", "fee", -25, fees=-25, fee={"scheme": -25})).add(
        "reconciliation/x", exceptions(raised("e", "duplicate-at-processor", -25, line="m"))), {
        S: -50, "fees/other": 25, "suspense": 25}
    yield "a payout that is less than its lines", log(line("l", "fee", 90), line("p", "payout", -85)).add(
        "reconciliation/x", exceptions(raised("e", "payout-differs", -5, line="p"))), {
        "fees/other": -90, "cash-in-transit": 85, "suspense": 5}
    for kind in ("authorization", "void", "balance"):
        yield f"of a line of type {kind}, its fees", log(line("l", kind, 490, fees=-10)), {S: -10, "fees/other": 10}
    yield "a balance that is carried over", log(line("l", "transfer", 90)), {S: 90, "suspense": -90}
    yield "and that no later line takes over", log(line("l", "transfer", 90)).add(
        "reconciliation/x", exceptions(raised("e", "negative-balance", 90, line="l"))), {S: 90, "suspense": -90}
    yield "and that a later line takes over", log(line("l", "transfer", 90), line("m", "transfer", -90)).add(
        "reconciliation/x", exceptions(raised("e", "negative-balance", 90, line="l")), ("LinesPosted", {
            "rule": "carried-over", "account": "processor-receivable", "lines": ["l", "m"]}), cleared("e")), NOTHING
    yield "one half of it, whose file is withdrawn", log(line("l", "transfer", 90)).add(
        "reconciliation/x", ("LinesPosted", {
            "rule": "carried-over", "account": "processor-receivable", "lines": ["l"]})), NOTHING
    yield "a transfer in a format that carries no balances", Log().add(
        "statement/s", *file("stripe-payout", "processor", line("l", "transfer", 90))), {
        "processor-receivable/stripe-payout": 90, "cash-in-transit": -90}
    for kind in ("deposit", "withdrawal", "payout-return"):
        yield f"a processor's {kind}", log(line("l", kind, 90)), {S: 90, "cash-in-transit": -90}
    yield "a conversion", log(line("l", "conversion", -90), line("m", "conversion", 80, currency="EUR")), {
        S: -90, "currency-clearing": 90, S + " EUR": 80, "currency-clearing EUR": -80}


def places():
    """Explained lines: they are against the account that had the payment's money when they were explained."""
    capture = line("l", "capture", 1000)
    vendor = ("DocumentReceived", {"vendor": "dejavoo"})
    match = matched(("l", "a", "capture:sale"))
    doubt = raised("e", "in-doubt-resolved", 1000, line="l", transaction="a")
    known = (vendor, *GATEWAY_SALE)

    def log(*events, lines=(capture,)):
        return Log().add("statement/s", *file("adyen-settlement", "processor", *lines)).add(V, *events)

    for tender, account in (("gift", "gift-liability/gift"), ("loyalty", "gift-liability/loyalty"),
                            ("cash", "undeposited-cash/cash"), ("check", "undeposited-cash/check")):
        sale = (request(tender=tender), sold())
        yield f"money of the tender {tender}", log(*sale), {
            S: 1000, account: 1000, f"sales/{tender}": -1000, "suspense": -1000}
        yield f"a match with the tender {tender}", log(*sale).add("reconciliation/x", match), {
            S: 1000, f"sales/{tender}": -1000}
    yield "the vendor at the time of the match", log(*GATEWAY_SALE).add("reconciliation/x", match).add(V, vendor), {
        S: 1000, P: -1000, P + "/dejavoo": 1000, "sales": -1000}
    yield "a second match leaves the place", log(*GATEWAY_SALE).add("reconciliation/x", match).add(V, vendor).add(
        "reconciliation/x", matched(("l", "a", "refund:r"))), {
        S: 1000, P: -1000, P + "/dejavoo": 1000, "sales": -1000}
    yield "another exception too", log(*GATEWAY_SALE).add("reconciliation/x", match).add(V, vendor).add(
        "reconciliation/x", exceptions(raised("e", "late", 0, line="l", transaction="a")), (
            "LinesUnmatched", {"links": [["l", "a", "capture:sale"]]})), {S: 1000, "sales": -1000}
    yield "a match after all was taken back", log(*GATEWAY_SALE).add("reconciliation/x", match, (
        "LinesUnmatched", {"links": [["l", "a", "capture:sale"]]})).add(V, vendor).add("reconciliation/x", match), {
        S: 1000, "sales": -1000}
    yield "an exception before the money is known", log(request(), vendor).add(
        "reconciliation/x", exceptions(doubt)).add(V, sold()), {
        S: 1000, P + "/dejavoo": 1000, "sales": -1000, "suspense": -1000}
    yield "a match after the exception", log(request(), vendor).add("reconciliation/x", exceptions(doubt)).add(
        V, sold()).add("reconciliation/x", match, cleared("e")), {S: 1000, "sales": -1000}
    yield "a match with a payment that the log does not have", log(*known).add(
        "reconciliation/x", matched(("l", "b", "capture:sale"))), {
        P + "/dejavoo": 1000, "sales": -1000}
    split = (request(), fact("TenderApplied", id="t", amounts=400, isCaptured=True, account={"kind": "gift"}),
             fact("TenderApplied", id="u", amounts=600, isCaptured=True, account={"kind": "credit"}))
    left = {"sales/gift": -400, "sales/credit": -600}
    yield "the movement that the match names", log(*split, lines=[line("l", "capture", 400)]).add(
        "reconciliation/x", matched(("l", "a", "capture:tender:t"))), {S: 400, P: 600, **left}
    yield "else the newest entry", log(*split[::-1], lines=[line("l", "capture", 400)]).add(
        "reconciliation/x", matched(("l", "a", "capture:x"))), {S: 400, P: 600, **left}
    yield "the movement that an exception names", log(*split, lines=()).add("reconciliation/x", exceptions(
        raised("e", "missing-at-processor", -400, transaction="a", movement="capture:tender:t"))), {
        P: 600, "suspense": 400, **left}
    both = matched(("l", "a", "capture:tender:t"), ("l", "a", "capture:tender:u"))
    unmatched = ("LinesUnmatched", {"links": both[1]["links"]})
    yield "each movement of a match with its own money", log(*split).add("reconciliation/x", both), {S: 1000, **left}
    yield "in events of their own", log(*split).add("reconciliation/x", *(
        matched(link) for link in both[1]["links"])), {S: 1000, **left}
    yield "and unmatched", log(*split).add("reconciliation/x", both, unmatched), {
        S: 1000, "gift-liability/gift": 400, P: 600, "suspense": -1000, **left}
    rounded = line("l", "capture", 900, paid=1003, paidCurrency="USD", currency="EUR")
    converted = {"currency-clearing": 1003, "currency-clearing EUR": -900, S + " EUR": 900}
    yield "a difference that a rule accepts", log(*GATEWAY_SALE, lines=[rounded]).add("reconciliation/x", match), {
        **converted, "sales": -1000, "rounding": -3}
    yield "and unmatched again", log(*GATEWAY_SALE, lines=[rounded]).add("reconciliation/x", match, (
        "LinesUnmatched", {"links": match[1]["links"]})), {**converted, P: 1000, "sales": -1000, "suspense": -1003}
    half = line("m", "capture", 90, paid=100, paidCurrency="USD", currency="EUR")
    for name, events in (("one", [matched(("l", "a", "capture:sale"), ("m", "a", "capture:sale", "l"))]),
                         ("two", [match, matched(("m", "a", "capture:sale", "l"))])):
        yield f"converted lines of one movement, matched by {name}", log(*GATEWAY_SALE, lines=[
            {**rounded, "paid": 900}, half]).add("reconciliation/x", *events), {
            "currency-clearing": 1000, "currency-clearing EUR": -990, S + " EUR": 990, "sales": -1000}
    arrived = fact("Funded", "settlement", id="f", amount=1000)
    no_match = ("LinesUnmatched", {"links": match[1]["links"]})
    yield "money that the bank has, and then a line", log(*GATEWAY_SALE, arrived).add("reconciliation/x", match), {
        S: 1000, "sales": -1000}
    yield "a line, and then money that the bank has", log(*GATEWAY_SALE).add("reconciliation/x", match).add(V, arrived), {
        S: 1000, "sales": -1000}
    unpaid = {S: 1000, "bank": 1000, "sales": -1000, "suspense": -1000}
    yield "and unmatched, first", log(*GATEWAY_SALE, arrived).add("reconciliation/x", match, no_match), unpaid
    yield "and unmatched, second", log(*GATEWAY_SALE).add("reconciliation/x", match).add(V, arrived).add(
        "reconciliation/x", no_match), unpaid
    yield "of which a line has a refund", log(*GATEWAY_SALE, arrived, fact("Refunded", id="r", amount=300), lines=[
        line("l", "refund", -300)]).add("reconciliation/x", matched(("l", "a", "refund:r"))), {
        S: -300, "bank": 1000, "sales": -1000, "refunds": 300}
    gift, card = split[1:]
    yield "a refund's movement", log(vendor, request(), card, fact("Refunded", id="r", amount=300), gift, lines=[
        line("l", "refund", -300)]).add("reconciliation/x", matched(("l", "a", "refund:r"))), {
        S: -300, P + "/dejavoo": 600, "gift-liability/gift": 400, "refunds": 300, **left}
    yield "a credit's movement", log(
        vendor, request(kind="CreditRequested"), fact("CreditApproved", amounts=1000),
        ("GiftCardLoaded", {"amount": money(50), "response": {}, "references": {}}),
        lines=[line("l", "refund", -1000)]).add("reconciliation/x", matched(("l", "a", "credit"))), {
        S: -1000, "refunds": 1000, "sales/gift": 50, "gift-liability/gift": -50}
    yield "where voided money was", log(*known, fact("Voided", id="v")).add("reconciliation/x", exceptions(
        raised("e", "status-differs", 1000, line="l", transaction="a"))).add("exception/e", resolved("timing")), {
        S: 1000, P + "/dejavoo": -1000}
    yield "raised again about another line", log(lines=[capture, line("m", "capture", 500)]).add(
        "reconciliation/x", exceptions(raised("e", "missing-in-ledger", 1000, line="l")),
        exceptions(raised("e", "missing-in-ledger", 500, line="m"))), {S: 1500, "suspense": -1500}
    yield "an adjustment that an exception explains", log(lines=[line("l", "adjustment", 70)]).add(
        "reconciliation/x", exceptions(raised("e", "missing-in-ledger", 70, line="l"))).add(
        "exception/e", resolved("timing")), {}
    posted = ("LinesPosted", {"rule": "r", "account": "fees", "part": "monthly", "lines": ["l"]})
    def adjusted(*more):
        return log(lines=[line("l", "adjustment", -70)]).add("reconciliation/x", exceptions(
            raised("e", "unexplained-line", -70, line="l")), *more)
    yield "an adjustment that nothing explains", adjusted(), {S: -70, "suspense": 70}
    yield "an adjustment that a posting rule explains", adjusted(posted, cleared("e")), {S: -70, "fees/monthly": 70}
    yield "an adjustment that a posting rule no longer explains", log(lines=[line("l", "other", -70)]).add(
        "reconciliation/x", posted, ("LinesUnposted", {"lines": ["l"]})), {S: -70, "suspense": 70}
    yield "a fee stays where it is, a chargeback is against its payment", log(*known, lines=[
        line("l", "fee", -5), line("m", "chargeback", -400)]).add(
            "reconciliation/x", matched(("m", "a", "capture:sale"))), {
        S: -405, P + "/dejavoo": 1400, "sales": -1000, "fees/other": 5}
    yield "a posting rule has all of a fee, whatever its components", log(lines=[
        line("l", "fee", -75, fees=-70, fee={"scheme": -50})]).add("reconciliation/x", posted), {S: -75, "fees/monthly": 75}
    yield "a fee of a posting rule that another file reports, too", log(lines=[
        line("l", "fee", -25), line("m", "fee", -25)]).add("reconciliation/x", (
            "LinesPosted", {"rule": "r", "account": "fees", "part": "monthly", "lines": ["l", "m"]}), exceptions(
            raised("e", "duplicate-at-processor", -25, line="m"))), {S: -50, "fees/monthly": 25, "suspense": 25}
    own = (("fee", "fees/other"), ("reserve", "reserve/adyen-settlement"), ("reserve-release", "reserve/adyen-settlement"),
           ("conversion", "currency-clearing"), ("deposit", "cash-in-transit"), ("withdrawal", "cash-in-transit"))
    for kind, account in own:
        yield f"a line of type {kind} that a posting rule explains", log(lines=[line("l", kind, -70)]).add(
            "reconciliation/x", posted), {S: -70, "fees/monthly": 70}
        yield f"a line of type {kind} that a posting rule no longer explains", log(lines=[line("l", kind, -70)]).add(
            "reconciliation/x", posted, ("LinesUnposted", {"lines": ["l"]})), {S: -70, account: 70}
        of = "unmatched-deposit" if account == "cash-in-transit" else "unexplained-line"
        asked = log(lines=[line("l", kind, -70)]).add("reconciliation/x", exceptions(raised("e", of, -70, line="l")))
        yield f"a line of type {kind} that nothing explains", asked, {S: -70, "suspense": 70}
        yield f"a line of type {kind} that is explained after its exception", log(lines=[line("l", kind, -70)]).add(
            "reconciliation/x", exceptions(raised("e", of, -70, line="l")), posted, cleared("e")), {
            S: -70, "fees/monthly": 70}
        yield f"a line of type {kind} that is written off", log(lines=[line("l", kind, -70)]).add(
            "reconciliation/x", exceptions(raised("e", of, -70, line="l"))).add(
            "exception/e", resolved("written-off")), {S: -70, "write-off": 70}
    yield "a withdrawal that a bank's line answers", log(lines=[line("l", "withdrawal", -70)]).add(
        "statement/b", *file("camt.053", "bank", line("b", "deposit", 70))).add("reconciliation/x", exceptions(
            raised("e", "unmatched-deposit", -70, line="l")), (
            "DepositsMatched", {"links": [["l", "b"]]}), cleared("e")), {S: -70, "bank": 70}


def days():
    """Days of entries: a name, a log of sales of 10.00, and what they leave: day, adjusted day, and amount."""
    morning, before, after = "2026-03-01T10:00:00", "2026-03-01T10:00:05.000000Z", "2026-03-05T11:00:00.000000Z"
    closed = ("PeriodClosed", {"merchant": "shop", "otherNames": ["till"], "day": "2026-03-02"})
    reopened = ("PeriodReopened", {"reason": "a correction"})

    def log(*events, merchant="shop", at=before, local=morning):
        """A log with some events about a day, and a sale after them."""
        return sale(Log().add("period/2", *events), merchant, at, local)

    def sale(log, merchant="shop", at=before, local=morning, stream="transaction/a"):
        references = {"references": {"merchant": merchant}} if merchant else {}
        return log.add(stream, request(**references), sold(at=local), at=at)

    yield "a sale of a day", log(), [("2026-03-01", "", 1000)]
    yield "a sale of a closed day", log(closed, at=after), [("2026-03-05", "2026-03-01", 1000)]
    yield "and whose event is of a closed day", log(closed), [("2026-03-03", "2026-03-01", 1000)]
    yield "of another name", log(closed, merchant="till"), [("2026-03-03", "2026-03-01", 1000)]
    yield "of another merchant", log(closed, merchant="kiosk"), [("2026-03-01", "", 1000)]
    yield "without a merchant", log(closed, merchant=None), [("2026-03-01", "", 1000)]
    yield "after a reopening", log(closed, reopened), [("2026-03-01", "", 1000)]
    yield "after another closing", log(closed, reopened, closed), [("2026-03-03", "2026-03-01", 1000)]
    yield "of a day after the closed one", log(closed, local="2026-03-03T00:00:00"), [("2026-03-03", "", 1000)]
    yield "before a closing", log().add("period/2", closed), [("2026-03-01", "", 1000)]
    yield ("and its void after it", log().add("period/2", closed).add(
        "transaction/a", fact("Voided", id="v"), at="2026-03-02T10:00:00.000000Z"),
        [("2026-03-01", "", 1000), ("2026-03-03", "2026-03-02", -1000)])
    later = ("PeriodClosed", {"merchant": "shop", "day": "2026-03-03"})
    yield ("a day before another closed one is opened", sale(Log().add("period/2", closed).add("period/3", later).add(
        "period/2", reopened)), [("2026-03-04", "2026-03-01", 1000)])
    yield ("the later one is opened", sale(Log().add("period/2", closed).add("period/3", later).add(
        "period/3", reopened)), [("2026-03-03", "2026-03-01", 1000)])
    yield "a clock that is ahead", log(closed, at="2029-01-01T00:00:00.000000Z"), [("2026-03-06", "2026-03-01", 1000)]
    described = ("MerchantDescribed", {"merchant": "shop", "zone": "+09:00", "cutoff": "04:00", "reason": "r"})
    yield ("a zone and its cut-off", sale(sale(
        Log().add("tenant/acme", described), at="2026-03-01T18:30:00.000000Z", local=None), local="2026-03-02T03:30:00",
        stream="transaction/b"), [("2026-03-01", "", 2000)])
    auckland = ("MerchantDescribed", {"merchant": "shop", "zone": "Pacific/Auckland", "cutoff": "00:00", "reason": "r"})
    document = ("DocumentReceived", {"vendor": "paydiant", "merchant": "shop", "terminal": "t"})

    def linked(log):
        """A sale on 1 March that names the shop, its account and its terminal."""
        return log.add("transaction/l", document, request(references={"gatewayAccount": "store"}), sold(at=morning))

    def named(log, stream="transaction/a", **references):
        """A sale at 00:42 on 2 March in Auckland that names only an account or terminal."""
        vendor, at = ("DocumentReceived", {"vendor": "paydiant"}), "2026-03-01T11:42:00.000000Z"
        return log.add(stream, vendor, request(references=references), sold(), at=at)

    zoned = Log().add("tenant/acme", auckland)
    yield ("the account and the terminal of the described merchant", named(
        named(linked(zoned), gatewayAccount="store"), "transaction/b", terminal="t"),
        [("2026-03-01", "", 1000), ("2026-03-02", "", 2000)])
    yield ("described after the names are linked", named(
        linked(Log()).add("tenant/acme", auckland), gatewayAccount="store"),
        [("2026-03-01", "", 1000), ("2026-03-02", "", 1000)])
    yield ("a name that is linked later", linked(named(Log().add("tenant/acme", auckland), gatewayAccount="store")),
           [("2026-03-01", "", 2000)])
    yield ("another merchant", log().add("period/2", closed).add("transaction/a", (
        "DocumentReceived", {"vendor": "", "merchant": "kiosk"}), at=before),
        [("2026-03-01", "", 1000), ("2026-03-03", "2026-03-01", -1000), ("2026-03-01", "", 1000)])
    refund = line("l", "refund", -1000, day="2026-03-01", references={"merchant": "shop"})
    yield ("a line of a closed day", Log().add("period/2", closed).add("statement/s", *file(
        "adyen-settlement", "processor", refund)), [("2026-03-05", "2026-03-01", -1000)])
    yield ("and its file is withdrawn", Log().add("statement/s", *file("adyen-settlement", "processor", refund)).add(
        "period/2", closed).add("statement/s", ("StatementWithdrawn", {})),
        [("2026-03-01", "", -1000), ("2026-03-05", "2026-03-01", 1000)])
