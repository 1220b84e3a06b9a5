"""In which closed batch a line of money is, and which tips are from before the closing (decision 98)."""
import dataclasses
import datetime

from .days import local_time, moment

AHEAD, BEHIND = datetime.timedelta(hours=14), datetime.timedelta(hours=12)


@dataclasses.dataclass
class Time:
    """When something occurred: by a clock without a zone, and in UTC. Each may be unknown."""
    local: datetime.datetime = None
    instant: datetime.datetime = None

    @classmethod
    def of(cls, reported, event=None):
        """A reported time, with that of its event if it names no instant."""
        local = local_time(reported)
        instant = event if local or not reported else reported
        return cls(local and moment(local), instant and moment(instant))

    def __bool__(self):
        return bool(self.local or self.instant)

    def is_before(self, other):
        """Whether this is known to be earlier: by clocks of one kind, else in every zone, else by the instants."""
        if not self or not other:
            return False
        if bool(self.local) == bool(other.local):
            return (self.local or self.instant) < (other.local or other.instant)
        if self.latest < other.earliest:
            return True
        return other.latest >= self.earliest and bool(self.instant and other.instant) and self.instant < other.instant

    @property
    def earliest(self):
        return self.local - AHEAD if self.local else self.instant

    @property
    def latest(self):
        return self.local + BEHIND if self.local else self.instant


@dataclasses.dataclass(frozen=True)
class Batch:
    vendor: str
    account: str
    number: str
    generation: int

    @classmethod
    def read(cls, data):
        """The batch that an event names, or None."""
        return data and cls(data["vendor"], data.get("account"), data.get("number"), data.get("generation", 1))

    def has_number(self, other):
        """Whether both are of one number. The account may have another name."""
        return bool(self.number) and (self.vendor, self.number) == (other.vendor, other.number)

    def is_other_use(self, other):
        """Whether both are of one number, and of two uses of it."""
        return self.has_number(other) and self.generation != other.generation


@dataclasses.dataclass
class Settled:
    """The batch of money that is settled. The time of its closing is None if settlement reports the money itself."""
    batch: Batch
    closed_at: Time
    is_report: bool


@dataclasses.dataclass
class Refund:
    """A refund of the payment, as far as batches are concerned."""
    id: str
    made: Time
    batch: Batch = None
    settled: Settled = None
    is_rejected: bool = False
    is_undone: bool = False

    @property
    def is_open(self):
        return not self.settled and not self.is_undone

    @property
    def name(self):
        return f"refund:{self.id}"


class Settling:
    """The closed batches of one payment."""

    def __init__(self, lines):
        self.lines, self.refunds, self.closings = lines, [], []

    @property
    def entries(self):
        """What can be in a batch: captures, refunds and credits."""
        captures = [line for line in self.lines if not line.is_credit]
        return captures + self.refunds + [line for line in self.lines if line.is_credit]

    def settle(self, fact, is_confirmed):
        """Only open money is settled: what names the batch, else all of it, or the refunds if nothing else is open."""
        batch = fact.batch
        is_inferred = fact.amount is None and batch is not None
        if not is_inferred:
            batch = self.used(batch)
        is_report = is_confirmed and not is_inferred
        closed_at = fact.at if fact.amount is None and not is_report else None
        settled = Settled(batch, closed_at, is_report)

        def is_free(entry):
            return entry.is_open or bool(batch) and self.is_taken_over(entry, batch)

        is_named = batch and any(is_free(entry) and entry.batch == batch for entry in self.entries)
        is_repeated = batch and any(one.batch == batch for one in self.closings)
        is_by_time = is_inferred and not batch.number and fact.at

        def takes(entry):
            if not is_free(entry) or entry.batch and batch and entry.batch.is_other_use(batch):
                return False
            if is_by_time:
                return not (entry.batch and entry.batch.number) and not entry.is_rejected \
                    and not fact.at.is_before(entry.made)
            return entry.batch == batch if is_named else not is_repeated

        if is_report:
            for entry in self.entries if batch else self.lines:
                if entry.settled and entry.settled.batch == batch:
                    entry.settled = settled
        taken = [line for line in self.lines if takes(line)]
        if is_named or is_by_time or all(line.is_credit for line in taken):
            taken += [refund for refund in self.refunds if takes(refund)]
        for entry in taken:
            entry.settled, entry.is_rejected = settled, False
        if batch and not is_repeated:
            self.closings.append(settled)

    @staticmethod
    def is_taken_over(entry, batch):
        """Whether the closing of this batch takes the entry from the closing of another use of the number."""
        known = entry.settled
        return bool(known and not known.is_report and known.batch and entry.batch) \
            and known.batch.is_other_use(entry.batch) and batch.has_number(entry.batch) \
            and batch.generation == entry.batch.generation

    def used(self, batch):
        """A report about the money names only the number: the use of it that the money is in."""
        known = [entry.batch for entry in self.entries if entry.batch and batch]
        others = [one for one in known if one.is_other_use(batch)]
        is_own = any(one.has_number(batch) and one.generation == batch.generation for one in known)
        if not others or is_own or batch.generation != 1:
            return batch
        return dataclasses.replace(batch, generation=others[-1].generation)

    def reject(self, fact):
        batch = self.used(fact.batch)
        for entry in self.entries:
            if entry.settled and entry.settled.batch == batch:
                entry.settled, entry.is_rejected = None, True
        self.closings = [one for one in self.closings if one.batch != batch]

    def assign(self, entry, batch):
        """The entry is in this use of its number, and so is what settlement reports of it."""
        if entry.batch and not entry.batch.has_number(batch):
            return
        entry.batch = batch
        if entry.settled and entry.settled.batch and entry.settled.batch.is_other_use(batch):
            if entry.settled.is_report:
                entry.settled = dataclasses.replace(entry.settled, batch=batch)
                return
            # Until the closing of this use is recorded, the one that took the money stands.
            entry.settled = self.closing_of(batch) or entry.settled
            return
        if entry.is_open and not entry.is_rejected:
            entry.settled = self.closing_of(batch)

    def closing_of(self, batch):
        """The known closing of a use, which may name its account differently, but not as another entry names one."""
        known = [entry.batch for entry in self.entries if entry.batch and entry.batch.has_number(batch)]
        others = {one.account for one in known if one.account != batch.account}
        uses = [one for one in self.closings
                if one.batch.has_number(batch) and one.batch.generation == batch.generation]
        own = [one for one in uses if one.batch == batch]
        return next(iter(own + [one for one in uses if one.batch.account not in others]), None)

    def place(self, entry):
        """The closing of the entry's batch may be known already."""
        for one in self.closings:
            if entry.batch and entry.batch.number:
                is_its = one.batch == entry.batch
            else:
                is_its = not one.batch.number and not (one.closed_at and one.closed_at.is_before(entry.made))
            if is_its and entry.is_open:
                entry.settled = one
                return

    def refund(self, fact):
        """A refund is reported."""
        refund = Refund(fact.id, fact.at or Time(), fact.batch)
        self.refunds.append(refund)
        self.place(refund)

    def undo(self, fact):
        """The refund is voided."""
        for refund in self.refunds:
            refund.is_undone = refund.is_undone or refund.id == fact.id
