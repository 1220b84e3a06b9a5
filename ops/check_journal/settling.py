"""In which closed batch a line of money is, and which tips are from before the closing (decision 99)."""
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

    def is_other_use(self, other):
        """Whether both are of one number, and of two uses of it."""
        return bool(self.number) and (self.vendor, self.number) == (other.vendor, other.number) \
            and self.generation != other.generation


@dataclasses.dataclass
class Settled:
    """The batch of money that is settled. The time of its closing is None if settlement reports the money itself."""
    batch: Batch
    closed_at: Time
    is_report: bool


class Settling:
    """The closed batches of one payment."""

    def __init__(self, lines):
        self.lines, self.closings = lines, []

    def settle(self, fact, is_confirmed):
        """Only open money is settled: what names the batch, else all of it."""
        batch = fact.batch
        is_inferred = fact.amount is None and batch is not None
        if not is_inferred:
            batch = self.used(batch)
        is_report = is_confirmed and not is_inferred
        closed_at = fact.at if fact.amount is None and not is_report else None
        settled = Settled(batch, closed_at, is_report)
        is_named = batch and any(line.is_open and line.batch == batch for line in self.lines)
        is_repeated = batch and any(one.batch == batch for one in self.closings)
        for line in self.lines:
            if line.settled and line.settled.batch == batch and is_report:
                line.settled = settled
            if not line.is_open or line.batch and batch and line.batch.is_other_use(batch):
                continue
            if is_inferred and not batch.number and fact.at:
                is_taken = not (line.batch and line.batch.number) and not fact.at.is_before(line.made)
            else:
                is_taken = line.batch == batch if is_named else not is_repeated
            if is_taken:
                line.settled = settled
        if batch and not is_repeated:
            self.closings.append(settled)

    def used(self, batch):
        """A report about the money names only the number: the use of it that the money is in."""
        others = [line.batch for line in self.lines if line.batch and batch and line.batch.is_other_use(batch)]
        is_own = any(line.batch == batch for line in self.lines)
        if not others or is_own or batch.generation != 1:
            return batch
        return dataclasses.replace(batch, generation=others[-1].generation)

    def reject(self, fact):
        batch = self.used(fact.batch)
        for line in self.lines:
            if line.settled and line.settled.batch == batch:
                line.settled = None
        self.closings = [one for one in self.closings if one.batch != batch]

    def assign(self, line, batch):
        """The line is in this use of its number, and so is what settlement reports of it."""
        if line.batch and not (line.batch == batch or line.batch.is_other_use(batch)):
            return
        line.batch = batch
        if line.settled and line.settled.batch and line.settled.batch.is_other_use(batch):
            if line.settled.is_report:
                line.settled = dataclasses.replace(line.settled, batch=batch)
                return
            line.settled = None
        if not line.settled:
            self.place(line)

    def place(self, line):
        """The closing of the line's batch may be known already."""
        for one in self.closings:
            if line.batch and line.batch.number:
                is_its = one.batch == line.batch
            else:
                is_its = not one.batch.number and not (one.closed_at and one.closed_at.is_before(line.made))
            if is_its and line.is_open:
                line.settled = one
                return
