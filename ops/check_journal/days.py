"""The business days of a tenant's entries: zones, cut-offs and closings of merchants (docs/journal.md, Days)."""
import dataclasses
import datetime
import re
import zoneinfo

from . import Unusable
from .accounts import Legs
from .merchants import Merchants

ONE = datetime.timedelta(days=1)
# What balances are grouped by, in the order of `Days.sums`.
KEYS = ("account", "part", "merchant", "day", "adjusts")
LOCAL = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?")


def local_time(value):
    """A reported time if it is that of a clock without a zone, else None."""
    return value if isinstance(value, str) and LOCAL.fullmatch(value) else None


def moment(text):
    """A time of the log, in UTC."""
    return datetime.datetime.fromisoformat(text.rstrip("Z"))


@dataclasses.dataclass
class Piece:
    """Legs of one merchant and day. Without a day or local time they are of the day of the event."""
    legs: Legs
    merchant: str = None
    day: str = None
    local: str = None
    # Whether it is money that the bank has, as the payment reports it.
    is_funding: bool = False


def offsets(name):
    """The function from a time in UTC to the offset of a zone."""
    fixed = re.fullmatch(r"([+-])(\d\d):(\d\d)", name)
    if name in ("UTC", "Z") or fixed:
        sign, hours, minutes = fixed.groups() if fixed else ("+", 0, 0)
        offset = datetime.timedelta(hours=int(hours), minutes=int(minutes)) * (-1 if sign == "-" else 1)
        return lambda time: offset
    try:
        zone = zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        raise Unusable(f"this machine does not know the zone {name}") from None
    return lambda time: time.replace(tzinfo=datetime.timezone.utc).astimezone(zone).utcoffset()


class BusinessDay:
    """A zone and the time of day at which a business day begins."""

    def __init__(self, zone="UTC", cutoff="00:00"):
        self.offset = offsets(zone)
        self.cutoff = datetime.timedelta(hours=int(cutoff[:2]), minutes=int(cutoff[3:]))

    def of_local(self, text):
        """The day of a time on the merchant's clock."""
        return (datetime.datetime.fromisoformat(text[:19]) - self.cutoff).date()

    def of(self, time):
        """The day of a time in UTC."""
        day = (time + self.offset(time) - self.cutoff).date()
        if time < self.start(day):
            return day - ONE
        return day + ONE if time >= self.start(day + ONE) else day

    def start(self, day):
        """The time in UTC at which a day begins. A time of day that is skipped is read with the offset before the
        change; of one that occurs twice, the later is meant."""
        wall = datetime.datetime.combine(day, datetime.time()) + self.cutoff
        early, late = wall - self.offset(wall - ONE), wall - self.offset(wall + ONE)
        return late if self.offset(late) == self.offset(wall + ONE) else early


STANDARD = BusinessDay()


class Days:
    """The balances of one tenant by `KEYS`."""

    def __init__(self):
        self.merchants, self.zones, self.closings, self.locked, self.sums = Merchants(), {}, {}, {}, {}

    def note(self, event):
        """What an event changes for later entries. A closing locks its day and all earlier ones, for all names."""
        kind, stream, data = event["type"], event["stream"], event["data"]
        if kind == "PeriodClosed":
            names = {data["merchant"], *(data.get("otherNames") or ())}
            self.closings[stream] = names, datetime.date.fromisoformat(data["day"])
        elif kind == "PeriodReopened":
            self.closings.pop(stream, None)
        else:
            return
        self.locked = {}
        for names, day in self.closings.values():
            for name in names:
                self.locked[name] = max(day, self.locked.get(name, day))

    def business_day(self, payment, merchant):
        """That of the merchant that a payment's names lead to."""
        description = self.merchants.description(payment, merchant)
        if description is None:
            return STANDARD
        if description not in self.zones:
            self.zones[description] = BusinessDay(*description)
        return self.zones[description]

    def post(self, event, piece):
        """Adds legs to the balances of their day, or of an open one that adjusts it."""
        recorded = moment(event["recordedAt"])
        if event["stream"].startswith("transaction/"):
            days = self.business_day(event["stream"].partition("/")[2], piece.merchant)
            latest = days.of(recorded) + ONE
            day = of_event = min(days.of(moment(event["occurredAt"])), latest)
            if piece.local:
                day = min(days.of_local(piece.local), latest)
        else:
            of_event = recorded.date()
            day = datetime.date.fromisoformat(piece.day) if piece.day else of_event
        adjusts, locked = "", self.locked.get(piece.merchant)
        if locked and day <= locked:
            day, adjusts = max(of_event, locked + ONE), str(day)
        for (account, part, currency), amount in piece.legs.items():
            key = account, part, piece.merchant or "", str(day), adjusts, currency
            self.sums[key] = self.sums.get(key, 0) + amount

    def by(self, keys):
        """The balances by some of the keys and the currency."""
        places, result = [KEYS.index(key) for key in keys], {}
        for key, amount in self.sums.items():
            group = (*(key[place] for place in places), key[-1])
            result[group] = result.get(group, 0) + amount
        return result
