"""What the events of one payment's stream report, kept as facts in the order of the log. Nothing is judged here."""
import dataclasses

from .accounts import HOLDERS, Legs
from .amounts import Amounts, money
from .days import local_time
from .settling import Batch, Time

RANKS = {"reader": 0, "relayed": 1, "gateway": 2, "settlement": 3}
GATEWAY = RANKS["gateway"]
REQUESTS = {"SaleRequested": "sale", "AuthorizationRequested": "authorization", "CreditRequested": "credit",
            "VerificationRequested": "verification"}
APPROVALS = {"AuthorizationApproved", "PartiallyApproved", "CreditApproved"}
DENIALS = {"Declined", "Cancelled", "Failed"}
ENDS = {"Voided": "void", "Reversed": "reversal", "CaptureReversed": "capture-reversal"}
RETURNS = {"Refunded": "refund", "RefundVoided": "refund-void", "ChargedBack": "chargeback",
           "ChargebackReversed": "chargeback-reversal", "Funded": "funding"}
SETTLEMENTS = {"Settled": "settled", "SettlementRejected": "rejected"}
OUTCOMES = {"DisputeWon": "won", "DisputeLost": "lost"}
VALUES = {"GiftCardLoaded": "load", "GiftCardActivated": "load", "GiftCardDeactivated": "deactivation"}
SENT = {"AuthorizationSent", "AuthorizationAnswered"}
BEGUN = SENT | {"CardRequested", "CardPresented", "CardRemoved", "ApplicationSelected", "PINRequested", "PINEntered",
                "SignatureRequested", "ReaderStateChanged"}
# The events whose members `references` name the clerk and the tip's recipient.
NAMING = APPROVALS | set(REQUESTS) | {"Captured", "TenderApplied", "CashDispensed", "TipAdjusted", "OutcomeResolved"}


@dataclasses.dataclass
class Fact:
    """One report: its kind, its id within the payment, its rank, and its amounts or amount."""
    kind: str
    position: int
    rank: int = 0
    id: str = ""
    amounts: Amounts = None
    amount: int = None
    currency: str = None
    tender: str = ""
    marks: dict = None
    is_open_before: bool = True
    # The time on the merchant's clock that the report shows.
    local: str = None
    # The time of the report, of a line and a closing that of its event if it shows none, and the batch that it names.
    at: Time = None
    batch: Batch = None

    @property
    def movement(self):
        """The name of the movement of money that it reports, None if it reports none."""
        name = {"dispense": "capture"}.get(self.kind, self.kind)
        if name == "credit":
            return name
        return f"{name}:{self.id}" if name in ("capture", "refund", "chargeback") else None


class Payment:
    """The facts of one stream."""

    def __init__(self):
        self.facts = []
        self.operation = self.resolved_operation = None
        self.vendors = {}
        self.tender = self.funding = self.clerk = self.recipient = ""
        self.is_test = self.is_sent = self.is_begun = False
        self.requests, self.approvals = [], []
        # What the journal has posted for it by movement, and where its newest entries put its money: that of each
        # movement, and that of all.
        self.posted, self.places, self.place = {}, {}, None
        # The ids of the chargebacks whose dispute is lost.
        self.lost = set()
        # The merchant by its role, the one for which the journal has posted, and the earliest time on its clock.
        self.names, self.posted_for, self.earliest = {}, None, None

    @property
    def merchant(self):
        """The best name of the merchant: that of the sender, else at the processor, else the account at the gateway."""
        sender, processor, account = (self.names.get(role) for role in ("sender", "processor", "account"))
        return sender or (processor if processor != account else None) or account

    def name_merchant(self, kind, data):
        """The first name in each role counts; one at the processor that is the account's too gives way to another."""
        if kind == "DocumentReceived" and data.get("merchant"):
            self.names.setdefault("sender", data["merchant"])
        references = data.get("references") if isinstance(data.get("references"), dict) else {}
        if references.get("gatewayAccount"):
            self.names.setdefault("account", references["gatewayAccount"])
        if references.get("merchant") and self.names.get("processor") in (None, self.names.get("account")):
            self.names["processor"] = references["merchant"]

    def local_time(self, movement):
        """The time on the merchant's clock that a movement was reported with; of one that is implied, the earliest of
        the payment."""
        reports = [fact for fact in self.facts if fact.movement == movement]
        if not reports and movement in ("capture:sale", "credit"):
            return self.earliest
        return next((fact.local for fact in reports if fact.local), None)

    def held(self, movement):
        """The minor units of a movement in the accounts that have the money of payments; None if it has none there."""
        return sum(value for (account, _, _), value in self.posted.get(movement, {}).items()
                   if account in HOLDERS) or None

    def funded(self):
        """What was posted for money that the bank has."""
        result = Legs()
        for movement, legs in self.posted.items():
            if movement.startswith("funding:"):
                result.join(legs)
        return result

    @property
    def vendor(self):
        """The vendor that owes the money: that of the documents, else of a batch, else of the card reader."""
        return self.vendors.get("document") or self.vendors.get("batch") or self.vendors.get("reader") or ""

    def name_vendor(self, source, reference):
        if reference and reference.get("vendor"):
            self.vendors.setdefault(source, reference["vendor"].lower())

    def known(self):
        """All that the book depends on beside the facts."""
        return (self.vendor, self.operation, self.resolved_operation, self.tender, self.funding, self.clerk,
                self.recipient, self.is_test, self.is_sent, self.is_begun, len(self.requests), frozenset(self.lost),
                self.merchant)

    def add(self, event):
        """Keeps what the event reports; whether the book can be another one now."""
        kind, data, before = event["type"], event["data"], self.known()
        if kind == "DocumentReceived":
            self.name_vendor("document", data)
            self.is_test = self.is_test or data.get("isTest") is True
        self.name_vendor("batch", data.get("batch"))
        self.name_vendor("reader", data.get("reader"))
        self.name_merchant(kind, data)
        local = local_time(data.get("at"))
        self.earliest = min((time for time in (local, self.earliest) if time), default=None)
        self.is_sent = self.is_sent or kind in SENT
        self.is_begun = self.is_begun or kind in BEGUN
        if kind in NAMING:
            references = data.get("references") or {}
            self.clerk = references.get("clerk") or self.clerk
            self.recipient = references.get("tipRecipient") or self.recipient
        if isinstance(data.get("card"), dict) and data["card"].get("funding"):
            self.funding = data["card"]["funding"].lower()
        if kind in REQUESTS:
            self.request(REQUESTS[kind], data)
        if kind in OUTCOMES and any(one.kind == "chargeback" and one.id == data["chargeback"] for one in self.facts):
            (self.lost.add if OUTCOMES[kind] == "lost" else self.lost.discard)(data["chargeback"])
        fact = self.fact(kind, data, event["position"])
        if fact:
            # A tip without a time has none. A closing has that of its event, which it names.
            source = {} if kind == "TipAdjusted" else data if kind in SETTLEMENTS else event
            fact.local, fact.batch = local, Batch.read(data.get("batch"))
            fact.at = Time.of(data.get("at"), source.get("occurredAt"))
            self.facts.append(fact)
        return bool(fact) or self.known() != before

    def request(self, operation, data):
        self.operation = self.operation or operation
        self.tender = (data.get("tender") or self.tender).lower()
        amounts = Amounts.read(data.get("amounts"))
        if amounts:
            self.requests.append(amounts)

    def fact(self, kind, data, position):
        """The fact of an event, None if it has none."""
        rank = RANKS.get(data.get("evidence"), 0)
        amounts = Amounts.read(data.get("amounts"))
        amount, currency = money(data.get("amount"))
        if amounts and kind in APPROVALS:
            self.approvals.append(amounts)
        if kind in APPROVALS:
            name = "credit" if kind == "CreditApproved" else "approval"
            return Fact(name, position, rank, "credit", amounts)
        if kind in DENIALS or kind == "OutcomeUnknown":
            return self.denial(kind, data, position, rank)
        if kind == "OutcomeResolved":
            return self.resolution(data, position, rank, amounts)
        if kind == "Captured":
            return Fact("capture", position, rank, data["id"], amounts)
        if kind == "TenderApplied":
            name = "capture" if data.get("isCaptured") else "hold"
            account = (data.get("account") or {}).get("kind") or ""
            return Fact(name, position, rank, f"tender:{data['id']}", amounts, tender=account.lower(),
                        marks=marks_of(data, amounts))
        if kind == "CashDispensed":
            value, currency = money(data["dispensed"])
            account = (data.get("account") or {}).get("kind") or ""
            return Fact("dispense", position, rank, f"cash:{data['id']}", Amounts(value, currency),
                        tender=account.lower())
        if kind == "TipAdjusted":
            value, currency = money(data["tip"])
            return Fact("tip", position, rank, "", amounts, value, currency)
        if kind == "BatchAssigned":
            return Fact("assigned", position, 0, data["line"])
        if kind in ENDS or kind in RETURNS or kind in SETTLEMENTS:
            return Fact((ENDS | RETURNS | SETTLEMENTS)[kind], position, rank, data["id"], None, amount, currency)
        if kind in VALUES:
            return Fact(VALUES[kind], position, rank, "", None, amount, currency)
        return None

    def denial(self, kind, data, position, rank):
        """A verdict that no money moved. One about a card's value or about one tender is none of the payment."""
        if data.get("value") or data.get("attempted"):
            return None
        condition = data.get("condition")
        if kind == "OutcomeUnknown":
            if condition != "unless-sent" or data.get("said") not in ("declined", "cancelled", "failed", "not-posted"):
                return None
        is_open = not any(fact.kind in ("approval", "credit", "capture", "dispense", "denial", "resolution")
                          for fact in self.facts)
        if condition == "while-open" and not is_open:
            return None
        return Fact("denial", position, rank, condition or "")

    def resolution(self, data, position, rank, amounts):
        """What ended an unknown outcome. Testimony about a follow-up is that follow-up, if it was made."""
        outcome, testimony = data["outcome"], data.get("testimony") or {}
        self.resolved_operation = data.get("operation") or self.resolved_operation
        follow_up = (testimony.get("followUp") or {}).get("subject")
        if follow_up:
            return self.testified(follow_up, testimony["followUp"], outcome, position, rank, amounts)
        if outcome in ("approved", "partiallyApproved"):
            if amounts:
                self.approvals.append(amounts)
            return Fact("resolution", position, rank, "", amounts)
        if outcome == "reversed":
            return Fact("reversal", position, rank, f"resolved at {position}")
        return Fact("denial", position, rank)

    def testified(self, subject, follow_up, outcome, position, rank, amounts):
        if subject == "withdrawn-payment":
            is_ended = outcome in ("declined", "notPosted", "reversed")
            return Fact("reversal", position, rank, f"testified at {position}") if is_ended else None
        if outcome != "approved":
            return None
        value, currency = (amounts.total, amounts.currency) if amounts else (None, None)
        kinds = {"void": "void", "reversal": "reversal", "refund": "refund", "refund-void": "refund-void"}
        if subject == "capture" and amounts:
            return Fact("capture", position, rank, f"testified at {position}", amounts)
        if subject in kinds:
            id = follow_up.get("refund") or f"testified at {position}"
            return Fact(kinds[subject], position, rank, id, None, value, currency)
        return None


def marks_of(data, amounts):
    """The marks by which a tender is recognized if another document names it differently."""
    marks = dict(data.get("marks") or {})
    if marks:
        account = data.get("account") or {}
        marks["account"] = (account.get("tokenDigest"), account.get("lastFour"), amounts.total, amounts.currency)
    return marks


def is_same_tender(one, other):
    """Whether two tenders are one: the same id, or a shared mark."""
    if one.id == other.id:
        return True
    if not one.marks or not other.marks:
        return False
    for name, place in (("reference", None), ("authorization", "place")):
        first, second = one.marks.get(name), other.marks.get(name)
        if first and second:
            return first == second and (place is None or (
                one.marks["account"] == other.marks["account"]
                and one.marks.get(place, 0) == other.marks.get(place, 0)))
    return one.marks["account"] == other.marks["account"] and "turn" in one.marks and "turn" in other.marks \
        and one.marks["turn"] == other.marks["turn"]
