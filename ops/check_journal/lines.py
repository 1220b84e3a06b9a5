"""The lines of money of one payment: its captures and credits with what ends and returns took from them.

The facts that count are played in the order of the log, each with the amounts that are known at the end. So a report
without an amount takes what was open at its place.
"""
import dataclasses

from .amounts import Amounts
from .evidence import LINES, is_denied, is_reported_by_gateway, merged, strongest
from .payment import GATEWAY
from .settling import Batch, Settled, Settling, Time


def captures_of(id):
    """The captures that an id may name: that of a tender has a name with its own id, and so has dispensed cash."""
    return id, f"tender:{id}", f"cash:{id}"


@dataclasses.dataclass
class Line:
    """A capture or credit. `tip` is the tip that is in force now, `amounts.tip` the one in the reported total."""
    id: str
    amounts: Amounts
    tender: str
    is_credit: bool = False
    is_dispensed: bool = False
    tip: int = 0
    ended: int = 0
    is_ended: bool = False
    # When it was made, the time of its newest tip, its batch, and the closed one that it is in.
    made: Time = dataclasses.field(default_factory=Time)
    tip_at: Time = None
    batch: Batch = None
    settled: Settled = None
    is_rejected: bool = False

    @property
    def is_open(self):
        """Whether a closing can take it."""
        return not self.settled and (self.left > 0 or self.total == 0)

    @property
    def name(self):
        return "credit" if self.is_credit else f"capture:{self.id}"

    @property
    def total(self):
        return self.amounts.without_tip + self.tip

    @property
    def left(self):
        return 0 if self.is_ended else max(self.total - self.ended, 0)

    def end(self, amount):
        """Ends up to an amount, and returns the rest of it. A line that is ended as a whole stays so."""
        taken = min(amount, self.left)
        self.ended += taken
        if taken and self.left == 0:
            self.is_ended = True
        return amount - taken


class Lines:
    """Plays the facts of a payment."""

    def __init__(self, payment):
        self.payment = payment
        self.lines, self.refunds, self.chargebacks, self.fundings, self.loads = [], {}, {}, {}, {}
        # Ends and tips that were reported before any line.
        self.open_returns = []
        self.is_ended, self.early_tip, self.ended_by_id = False, None, {}
        self.currency = None
        self.settling = Settling(self.lines)
        self.play()

    def play(self):
        facts = self.payment.facts
        steps = []
        if not is_denied(self.payment):
            steps += self.reported() or self.implied()
        self.currency = self.currency_of(steps)
        steps = [step for step in steps if step[1].amounts.currency == self.currency]
        by_kind = {}
        for fact in facts:
            by_kind.setdefault(fact.kind, []).append(fact)
        steps += [(fact.position, fact) for fact in by_kind.get("tip", ()) if fact.currency == self.currency]
        for kind in ("settled", "rejected", "assigned"):
            steps += [(fact.position, fact) for fact in by_kind.get(kind, ())]
        is_certain = is_reported_by_gateway(self.payment)
        for kind in ("void", "reversal", "capture-reversal"):
            ends = [fact for fact in by_kind.get(kind, ()) if fact.rank >= GATEWAY or not is_certain]
            steps += [(position, fact) for position, fact, _ in merged(ends) if self.is_countable(fact)]
        for kind, undone_by in (("refund", "refund-void"), ("chargeback", "chargeback-reversal"), ("funding", None)):
            given = [(position, dataclasses.replace(fact, batch=self.batch_of(fact, group)))
                     for position, fact, group in merged(by_kind.get(kind, ())) if self.is_countable(fact)]
            steps += given
            ends = [fact for _, fact, _ in merged(by_kind.get(undone_by, ())) if self.is_countable(fact)]
            if kind == "refund" and not given and self.payment.operation == "credit":
                # A credit is a refund without an original payment: the void of the refund is its own.
                steps += [(end.position, dataclasses.replace(end, kind="void")) for end in ends
                          if end.rank >= GATEWAY or not is_certain]
            else:
                steps += self.undoing(given, ends)
        for _, fact in sorted(steps, key=lambda step: step[0]):
            self.step(fact)
        for fact, target in self.open_returns:
            target[fact.id] = self.open
        self.value(by_kind, is_certain)

    def value(self, by_kind, is_certain):
        """What is on a card: of several reports the last one. Voids of a payment are about its captures."""
        for kind in ("load", "deactivation"):
            for fact in by_kind.get(kind, ()):
                self.loads[kind] = fact.amount if fact.amount and fact.currency == self.currency else 0
        if self.lines:
            return
        ends = [fact for kind in ("void", "reversal") for _, fact, _ in merged(by_kind.get(kind, ()))
                if self.is_countable(fact) and (fact.rank >= GATEWAY or not is_certain)]
        if any(fact.amount is None for fact in ends):
            self.loads = {}
        elif "load" in self.loads:
            self.loads["load"] = max(self.loads["load"] - sum(fact.amount for fact in ends), 0)

    def reported(self):
        """The lines that documents report."""
        return [(position, dataclasses.replace(fact, amounts=self.complete(fact, group), at=self.time_of(group),
                                               tender=self.tender_of(fact, group), batch=self.batch_of(fact, group)))
                for kind in LINES
                for position, fact, group in merged([one for one in self.payment.facts if one.kind == kind])
                if fact.amounts]

    def time_of(self, group):
        """When a line was made: the first local time that a report of it shows, and the time of the first report."""
        return Time(next((one.at.local for one in group if one.at.local), None), group[0].at.instant)

    def batch_of(self, fact, group):
        """The batch that the strongest report of a line names, else the first one that names any."""
        return next((one.batch for one in [fact, *group] if one.batch), None)

    def tender_of(self, fact, group):
        """The kind of account of the tender that the line belongs to, by any report of it."""
        held = [one for one in self.payment.facts if one.kind == "hold" and fact.id == one.id]
        return next((one.tender for one in [fact, *group, *held] if one.tender), "")

    def implied(self):
        """The line of a payment that no document captures: an unknown outcome was resolved, or a tip was adjusted."""
        payment = self.payment
        operation = payment.operation or payment.resolved_operation
        found = [fact for fact in payment.facts if fact.kind == "resolution"]
        if found and operation in ("sale", "credit"):
            best = strongest(found)
            amounts = best.amounts or (payment.requests[-1] if payment.requests else None)
            if amounts:
                kind = "capture" if operation == "sale" else "credit"
                return [(found[0].position, dataclasses.replace(
                    best, kind=kind, id="sale", amounts=amounts.filled(payment.requests)))]
        if operation not in ("credit", "verification"):
            for fact in payment.facts:
                if fact.kind == "tip" and fact.amounts:
                    tip = fact.amount if fact.amounts.tip is None else fact.amounts.tip
                    return [(fact.position, dataclasses.replace(
                        fact, kind="capture", id="sale", amounts=dataclasses.replace(fact.amounts, tip=tip)))]
        return []

    def complete(self, fact, group):
        """The amounts of a line with the parts that other reports of the same money have."""
        others = [one.amounts for one in group if one is not fact and one.amounts]
        return fact.amounts.filled(others + self.payment.approvals[::-1] + self.payment.requests[::-1])

    def currency_of(self, steps):
        """The currency of the payment: that of its money, else of what was approved or requested."""
        known = [fact.amounts for _, fact in sorted(steps, key=lambda step: step[0])]
        known += self.payment.approvals + self.payment.requests
        if known:
            return known[0].currency
        return next((fact.currency for fact in self.payment.facts if fact.currency), None)

    def is_countable(self, fact):
        """Whether the follow-up is of the payment's currency, or of everything that is open."""
        return fact.amount is None or fact.currency == self.currency

    def undoing(self, given, ends):
        """Voids of refunds and reversals of chargebacks, each with the position of the later of both reports."""
        steps = []
        for end in ends:
            same = [one for one in given if one[1].id == end.id]
            same = same or [one for one in given if end.amount is not None and one[1].amount == end.amount]
            if same and (end.rank >= GATEWAY or same[0][1].rank < GATEWAY):
                position, fact = same[0]
                undone = dataclasses.replace(end, kind=f"{fact.kind}-undone", id=fact.id)
                steps.append((max(position, end.position), undone))
        return steps

    @property
    def returned(self):
        return sum(self.refunds.values()) + sum(self.chargebacks.values())

    @property
    def open(self):
        return max(sum(line.left for line in self.lines if not line.is_credit) - self.returned, 0)

    def step(self, fact):
        if fact.kind in LINES:
            self.begin(fact)
        elif fact.kind == "tip":
            self.adjust(fact)
        elif fact.kind == "settled":
            self.settling.settle(fact, fact.rank >= GATEWAY)
        elif fact.kind == "rejected":
            self.settling.reject(fact)
        elif fact.kind == "assigned":
            for entry in self.settling.entries:
                if entry.name == fact.id:
                    self.settling.assign(entry, fact.batch)
        elif fact.kind in ("void", "reversal", "capture-reversal"):
            self.end(fact)
        elif fact.kind.endswith("-undone"):
            target = self.refunds if fact.kind == "refund-undone" else self.chargebacks
            self.open_returns = [one for one in self.open_returns if one[0].id != fact.id or one[1] is not target]
            if fact.kind == "refund-undone":
                self.settling.undo(fact)
            amount = target.get(fact.id, 0)
            target[fact.id] = 0 if fact.amount is None else max(amount - fact.amount, 0)
        else:
            if fact.kind == "refund":
                self.settling.refund(fact)
            target = {"refund": self.refunds, "chargeback": self.chargebacks, "funding": self.fundings}[fact.kind]
            if fact.kind == "funding":
                target[fact.id] = fact.amount
            elif fact.amount is None and not self.lines:
                self.open_returns.append((fact, target))
            else:
                target[fact.id] = self.open if fact.amount is None else fact.amount
        if fact.kind == "funding" and fact.amount is None:
            self.fundings[fact.id] = self.unfunded()

    def unfunded(self):
        """What the processor still owes: a funding without an amount is of all of it."""
        from .book import receivable
        return receivable(self)

    def begin(self, fact):
        line = Line(fact.id, fact.amounts, fact.tender, fact.kind == "credit", fact.kind == "dispense")
        line.tip, line.made, line.batch = line.amounts.tip or 0, fact.at or Time(), fact.batch
        self.lines.append(line)
        if self.early_tip and not line.is_credit:
            tip, self.early_tip = self.early_tip, None
            if line.amounts.tip is None and tip.amounts and tip.amounts.total == line.amounts.total:
                line.amounts = dataclasses.replace(line.amounts, tip=tip.amount)
            line.tip = tip.amount
        ended = next((id for id in self.ended_by_id if fact.id in captures_of(id)), None)
        if self.is_ended or ended is not None:
            amount = self.ended_by_id.get(ended)
            line.end(line.left if amount is None else amount)
            line.is_ended = line.is_ended or amount is None
        self.settling.place(line)

    def adjust(self, fact):
        """Sets the tip of the newest open line, else of the newest one whose batch was closed after the tip; before any
        line, that of the first one. Of several tips, the last by time counts."""
        captures = [line for line in self.lines if not line.is_credit]
        if not captures:
            self.early_tip = fact
            return
        is_open = [line for line in captures if line.is_open]
        chosen = [line for line in captures if line.settled and line.left > 0 and line.settled.closed_at
                  and fact.at.is_before(line.settled.closed_at)]
        # A capture that was made after the tip is another one.
        if is_open and not (chosen and fact.at.is_before(is_open[-1].made)):
            chosen = is_open
        if not chosen or (chosen[-1].tip_at and fact.at.is_before(chosen[-1].tip_at)):
            return
        line = chosen[-1]
        line.tip = fact.amount
        if fact.at:
            line.tip_at = fact.at

    def end(self, fact):
        """Ends what is open, or an amount of it: that of a line that has it, else the earliest lines first."""
        named = [line for line in self.lines if line.id in captures_of(fact.id)]
        if fact.kind == "capture-reversal" and (named or not self.lines):
            if named:
                named[0].end(named[0].left if fact.amount is None else fact.amount)
            else:
                self.ended_by_id[fact.id] = fact.amount
        elif fact.amount is None and not self.returned:
            self.is_ended = True
            for line in self.lines:
                line.end(line.left)
                line.is_ended = True
        elif fact.amount is None:
            self.take(self.open)
        else:
            # Without a line it gives back a part of what is held.
            self.take(fact.amount)

    def take(self, amount):
        for line in self.lines:
            if line.left == amount:
                return line.end(amount)
        for line in self.lines:
            amount = line.end(amount)
        return amount
