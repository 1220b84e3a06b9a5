"""What is known of one statement line or exception, and the legs that follow from it (decision 89)."""
import dataclasses

from .accounts import (BANK, CLEARING, FEES, IN_TRANSIT, OTHER_FEES, RECEIVABLE, RESERVE, ROUNDING, SUSPENSE,
                       WRITE_OFF, Legs)

PAYOUTS = {"payout", "payout-return"}
# The formats in which two transfers carry a balance over: the one explains the other.
CARRYING = {"adyen-settlement", "daybook-csv"}
# Lines that move no money: only their fees count.
UNMOVED = {"authorization", "void", "balance"}
# Where the gross of a line goes that is no payment, unless a posting rule names another account; a part of True is the
# processor. All others (payments, adjustments and what is unknown) are in suspense, or where a payment's money is.
ACCOUNTS = {"fee": (FEES, OTHER_FEES), "conversion": (CLEARING, ""),
            "payout": (IN_TRANSIT, ""), "payout-return": (IN_TRANSIT, ""), "transfer": (IN_TRANSIT, ""),
            "deposit": (IN_TRANSIT, ""), "withdrawal": (IN_TRANSIT, ""),
            "reserve": (RESERVE, True), "reserve-release": (RESERVE, True)}


@dataclasses.dataclass
class Row:
    """What is known of one line. Its format and side are those of the first file that has it."""
    data: dict
    format: str
    side: str
    files: int = 0
    # In how many counted files its parts are listed.
    listed: int = 0
    # The links with the place and amount that their movements had then, None if that is not known.
    links: dict = dataclasses.field(default_factory=dict)
    deposits: set = dataclasses.field(default_factory=set)
    exceptions: set = dataclasses.field(default_factory=set)
    # The account and part that had the money of the payment when the first link was made, and the first exception.
    place: tuple = (RECEIVABLE, "")
    exception_place: tuple = (RECEIVABLE, "")
    # Whether the line is matched alone with one movement.
    is_single: bool = False
    is_superseded: bool = False
    posted: Legs = dataclasses.field(default_factory=Legs)
    # The merchant and day of what was posted.
    posted_at: tuple = None

    @property
    def at(self):
        """The merchant and day of the line."""
        data = self.data
        day = data.get("day") or data.get("bookedDay") or data.get("valueDay")
        return (data.get("references") or {}).get("merchant"), day

    @property
    def report(self):
        """The payout that may be reported again, None if this is no such report."""
        payout = (self.data.get("references") or {}).get("payout")
        if payout and self.data["type"] in PAYOUTS and self.data.get("revision") is not None:
            return payout, self.data["type"]
        return None

    def legs(self):
        """The legs of the line as it is known now."""
        legs = Legs()
        if self.files > 0 and not self.is_superseded and self.data.get("currency"):
            (self.post_transfer if self.side == "bank" else self.post_line)(legs)
        return legs

    def post_transfer(self, legs):
        """A transfer to or from a bank account counts when payouts explain it."""
        if self.deposits:
            amount, currency = self.data.get("amount") or 0, self.data["currency"]
            legs.add(BANK, "", currency, amount)
            legs.add(IN_TRANSIT, "", currency, -amount)

    def post_line(self, legs):
        """A line of a processor moves what the processor owes, whatever explains it."""
        data, currency = self.data, self.data["currency"]
        fees, components = data.get("fees") or 0, data.get("fee") or {}
        # Of a total whose parts are listed, the money is that of the parts.
        has_money = not self.listed and data["type"] not in UNMOVED
        amount = (data.get("amount") or 0) if has_money else fees
        legs.add(RECEIVABLE, self.format, currency, amount)
        if data["type"] == "fee" and self.links and has_money:
            # All of a fee is in the account of its posting rule.
            return legs.add(*self.place, currency, -amount)
        for name, value in components.items():
            legs.add(FEES, name, currency, -value)
        legs.add(FEES, OTHER_FEES, currency, sum(components.values()) - fees)
        gross = (data.get("amount") or 0) - fees
        if has_money:
            self.post_gross(legs, gross, currency)
        elif self.listed and self.is_foreign(gross):
            self.exchange(legs, gross)

    def post_gross(self, legs, gross, currency):
        """The other side of what the line moves beside the fees."""
        is_carried = self.data["type"] == "transfer" and self.format in CARRYING
        if self.data["type"] in ACCOUNTS and not is_carried:
            account, part = ACCOUNTS[self.data["type"]]
            place = self.place if self.links else (account, self.format if part is True else part)
            legs.add(*place, currency, -gross)
            return
        if not self.is_foreign(gross):
            self.post_explained(legs, gross, currency)
        else:
            paid, paid_currency = self.data["paid"], self.data.get("paidCurrency") or currency
            self.exchange(legs, gross)
            legs.add(RECEIVABLE, self.format, currency, -gross)
            legs.add(RECEIVABLE, self.format, paid_currency, paid)
            self.post_explained(legs, paid, paid_currency)

    def post_explained(self, legs, amount, currency):
        """The other side of a line that may be explained: each of several movements has its own money. Of a converted
        amount, a rule may have accepted a difference."""
        if not self.links:
            return legs.add(*(self.exception_place if self.exceptions else (SUSPENSE, "")), currency, -amount)
        known = [(place, value) for place, value in self.links.values() if value is not None]
        shares = [(place, value) for place, value in known if place != self.place]
        is_converted = (self.data.get("paidCurrency") or self.data["currency"]) != self.data["currency"]
        if len(self.links) == 1 and known and is_converted and self.is_single:
            shares.append(((ROUNDING, ""), amount - known[0][1]))
        for place, value in [*shares, (self.place, amount - sum(value for _, value in shares))]:
            legs.add(*place, currency, -value)

    def is_foreign(self, gross):
        """Whether the cardholder paid another amount, or in another currency."""
        paid, currency = self.data.get("paid"), self.data["currency"]
        return paid is not None and (paid, self.data.get("paidCurrency") or currency) != (gross, currency)

    def exchange(self, legs, gross):
        """Turns what the cardholder paid into the currency of the line."""
        paid, currency = self.data["paid"], self.data["currency"]
        paid_currency = self.data.get("paidCurrency") or currency
        legs.add(RECEIVABLE, self.format, currency, gross)
        legs.add(CLEARING, "", currency, -gross)
        legs.add(CLEARING, "", paid_currency, paid)
        legs.add(RECEIVABLE, self.format, paid_currency, -paid)


@dataclasses.dataclass
class Case:
    """An exception: its amount is in suspense against a place, until it is cleared or resolved."""
    data: dict
    place: tuple
    # The position of its newest evidence: a resolution that names an older one does not hold.
    evidence: int
    is_cleared: bool = False
    # How an operator has resolved it. A cleared one that was resolved may be opened again.
    resolution: str = ""
    posted: Legs = dataclasses.field(default_factory=Legs)
    posted_at: tuple = None

    @property
    def at(self):
        """The merchant and day of the exception."""
        return self.data.get("merchant"), self.data.get("day")

    def legs(self):
        legs, amount, currency = Legs(), self.data.get("amount") or 0, self.data.get("currency")
        if not self.is_cleared and self.resolution not in ("corrected", "matched", "timing"):
            legs.add(*self.place, currency, amount)
            legs.add(WRITE_OFF if self.resolution == "written-off" else SUSPENSE, "", currency, -amount)
        return legs
