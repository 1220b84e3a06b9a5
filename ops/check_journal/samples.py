"""Small logs for the self-test."""
import json

USD = "USD"
# When the events of a log are recorded.
NOW = "2026-03-05T12:00:00.000000Z"


def money(value, currency=USD):
    return {"value": value, "currency": currency}


def amounts(total, **parts):
    return {"total": money(total), **{name: money(value) for name, value in parts.items()}}


def fact(kind, evidence="gateway", **data):
    """An event of a payment. Amounts may be given as a number."""
    for name in ("amount", "tip", "dispensed"):
        if isinstance(data.get(name), int):
            data[name] = money(data[name])
    if isinstance(data.get("amounts"), int):
        data["amounts"] = amounts(data["amounts"])
    return kind, {"evidence": evidence, "response": {}, "references": {}, **data}


def request(total=1000, kind="SaleRequested", **data):
    return kind, {"amounts": total if isinstance(total, dict) else amounts(total), "references": {}, **data}


def sold(total=1000, evidence="gateway", **data):
    return fact("Captured", evidence, id="sale", amounts=total, **data)


class Log:
    """Record lines with their positions and versions."""

    def __init__(self, tenant="acme"):
        self.tenant, self.events, self.versions = tenant, [], {}

    def add(self, stream, *events, at=NOW):
        """Adds events that occurred at a time."""
        for kind, data in events:
            self.versions[stream] = self.versions.get(stream, 0) + 1
            self.events.append({"position": len(self.events) + 1, "tenant": self.tenant, "stream": stream,
                                "version": self.versions[stream], "type": kind, "occurredAt": at, "recordedAt": NOW,
                                "data": data})
        return self

    def lines(self, events=None):
        return [json.dumps(event).encode() for event in (self.events if events is None else events)]


def line(id, kind, amount, **data):
    return {"number": 1, "line": 1, "id": id, "type": kind, "currency": USD, "amount": amount, "references": {}, **data}


def payout(id, amount, revision=None, kind="payout"):
    """A report of the payout `po`."""
    return line(id, kind, amount, references={"payout": "po"}, **({} if revision is None else {"revision": revision}))


def file(format, side, *lines):
    return (("StatementImportBegan", {"format": format, "side": side}),
            ("StatementPartRecorded", {"lines": list(lines)}), ("StatementImported", {"parts": 1}))


def raised(id, kind, amount, **data):
    return {"id": id, "class": kind, "currency": USD, "amount": amount, **data}


def exceptions(*cases):
    return "ExceptionsRaised", {"exceptions": list(cases)}


def matched(*links):
    return "LinesMatched", {"rule": "gateway-id", "links": [list(link) for link in links]}


def cleared(*ids):
    return "ExceptionsCleared", {"exceptions": list(ids)}


def resolved(kind, evidence=None):
    """An operator's resolution, of the evidence at a position."""
    return "ExceptionResolved", {"resolution": {"kind": kind}, **({"evidence": evidence} if evidence else {})}


def trading_day():
    """A sale with a tip that is matched, funded over a payout and a deposit, and a line that the ledger lacks."""
    log = Log()
    log.add("transaction/a", ("DocumentReceived", {"vendor": "Dejavoo", "kind": "Sale", "document": {}}),
            request(1000, tender="credit"), fact("AuthorizationApproved", amounts=1000), sold(1000),
            fact("TipAdjusted", tip=200), fact("Refunded", id="r", amount=300))
    log.add("statement/s", *file(
        "adyen-settlement", "processor",
        line("l1", "capture", 1170, gross=1200, fees=-30, fee={"markup": -20}),
        line("l2", "capture", 500, gross=500),
        line("l3", "payout", -1000), line("l4", "fee", -10), line("l5", "reserve", -100), line("l6", "adjustment", 7)))
    log.add("statement/b", *file("bai2", "bank", line("d1", "deposit", 1000), line("d2", "withdrawal", -70)))
    log.add("reconciliation/x", matched(("l1", "a", "capture:sale")),
            ("DepositsMatched", {"rule": "trace", "links": [["l3", "d1"]]}),
            exceptions(raised("e1", "missing-in-ledger", 500, line="l2"),
                       raised("e2", "fee-differs", -5, line="l1", transaction="a")))
    log.add("exception/e1", resolved("written-off"))
    return log


# What the trading day leaves, worked out by hand.
TRADING_DAY = {
    "processor-receivable/dejavoo": 1200 - 300 - 1200, "sales/credit": -1000, "tips-payable": -200,
    "refunds/credit": 300, "processor-receivable/adyen-settlement": 1170 + 500 - 1000 - 10 - 100 + 7,
    "fees/markup": 20, "fees/other": 10 + 10 - 5, "reserve/adyen-settlement": 100, "suspense": -7 + 5,
    "write-off": -500, "cash-in-transit": 0, "bank": 1000,
}


def answer(balances):
    """Balances by name as an answer of the ledger."""
    items = []
    for name, amount in balances.items():
        account, _, part = name.partition("/")
        if amount:
            side = "debit" if amount > 0 else "credit"
            items.append({"account": account, **({"part": part} if part else {}), "currency": USD,
                          side: money(abs(amount))})
    return {"by": ["account", "part"], "items": items}
