"""The events of statements and of their reconciliation: what each changes of lines and exceptions, and so posts."""
from . import Missing
from .accounts import BANK, CLEARING, FEES, IN_TRANSIT, OTHER_FEES, RECEIVABLE, RESERVE, Legs
from .days import Piece
from .rows import Case, Row


class Statements:
    """The files, lines and exceptions of one tenant. Each event gives what it posts, as pieces."""

    def __init__(self, place_of, payments):
        """`place_of` gives the account and part that have the money of a payment, by its id and movement."""
        self.place_of, self.payments = place_of, payments
        self.files, self.rows, self.cases, self.reports = {}, {}, {}, {}
        # The lines of each movement, by its payment.
        self.lines = {}

    def add(self, event):
        """What the event posts."""
        handle = getattr(self, "on_" + event["type"], None)
        return handle(event["stream"], event["data"], event["position"]) if handle else []

    def on_StatementImportBegan(self, stream, data, _):
        self.files[stream] = {"format": data["format"], "side": data["side"], "lines": [], "counts": False}
        return []

    def file(self, stream):
        if stream not in self.files:
            raise Missing(f"the import of {stream} did not begin")
        return self.files[stream]

    def on_StatementPartRecorded(self, stream, data, _):
        file = self.file(stream)
        for line in data.get("lines") or ():
            file["lines"].append((line["id"], line.get("role") or "own", line.get("group")))
            self.rows.setdefault(line["id"], Row(line, file["format"], file["side"]))
        return []

    def on_StatementImported(self, stream, data, _):
        return self.count(self.file(stream), True)

    def on_StatementWithdrawn(self, stream, data, _):
        return self.count(self.file(stream), False)

    def count(self, file, counts):
        """Lines of a file begin to count, or end. A line of several files counts once."""
        if file["counts"] == counts:
            return []
        file["counts"] = counts
        change = 1 if counts else -1
        listed = {group for _, role, group in file["lines"] if role == "part" and group is not None}
        totals = {group for _, role, group in file["lines"] if role == "total" and group is not None}
        ids = set()
        for id, role, group in file["lines"]:
            # A part whose total is elsewhere is in that total.
            if id not in ids and (role != "part" or group in totals):
                ids.add(id)
                row = self.rows[id]
                row.files += change
                row.listed += change * (role == "total" and group in listed)
        return self.repost(ids | self.revise(ids))

    def revise(self, ids):
        """Of the counted reports of one payout the newest one counts. All reports of the payouts among the lines."""
        result, changed = set(), set()
        for id in ids:
            report = self.rows[id].report
            if report:
                self.reports.setdefault(report, set()).add(id)
                changed.add(report)
        for report in changed:
            reports = self.reports[report]
            counted = [(self.rows[id].data["revision"], id) for id in reports if self.rows[id].files > 0]
            for id in reports:
                self.rows[id].is_superseded = bool(counted) and id != max(counted)[1]
            result |= reports
        return result

    def on_LinesMatched(self, stream, data, _):
        ids, links = {}, sorted(data.get("links") or ())
        before = self.paid(links)
        for line, transaction, movement, *match in links:
            row = self.rows.get(line)
            if row:
                place, payment = self.place_of(transaction, movement, row.format), self.payments.get(transaction)
                if not row.links:
                    row.place = place
                row.links[transaction, movement] = place, payment and payment.held(movement)
                self.lines.setdefault(transaction, {}).setdefault(movement, set()).add(line)
                # Further lines of the match may be in another event than its first one.
                ids |= {line: row, **{first: self.rows[first] for first in match if first in self.rows}}
        for row in ids.values():
            row.is_single = all(len(self.lines_of(*link)) == 1 for link in row.links if link != "posting rule")
        return self.repost(ids) + self.funded(self.paid(links) - before, -1)

    def on_LinesUnmatched(self, stream, data, _):
        ids, links = [], data.get("links") or ()
        before = self.paid(links)
        for line, transaction, movement, *_ in links:
            if line in self.rows:
                self.rows[line].links.pop((transaction, movement), None)
                self.lines_of(transaction, movement).discard(line)
                ids.append(line)
        return self.repost(ids) + self.funded(before - self.paid(links), 1)

    def is_paid(self, transaction):
        """Whether a line has money that the payment took, or its credit: a payout has it."""
        return any(lines for movement, lines in self.lines.get(transaction, {}).items()
                   if movement == "credit" or movement.startswith("capture:"))

    def lines_of(self, transaction, movement):
        return self.lines.get(transaction, {}).get(movement, set())

    def paid(self, links):
        """The payments among those of the links that a line has."""
        return {link[1] for link in links if self.is_paid(link[1])}

    def funded(self, transactions, sign):
        """What the bank's reports of the payments have posted, or its reversal."""
        known = [self.payments[id] for id in sorted(transactions) if id in self.payments]
        return [Piece(Legs().less(payment.funded()) if sign < 0 else payment.funded(), payment.posted_for)
                for payment in known]

    def on_LinesPosted(self, stream, data, _):
        """A posting rule explains lines that are no payments, or two of them carry a balance over: their money is in the
        account, which is the processor's own if it is the receivable."""
        ids = [line for line in data.get("lines") or () if line in self.rows]
        for line in ids:
            row = self.rows[line]
            if not row.links:
                own = row.format if data["account"] == RECEIVABLE else ""
                row.place = (data["account"], data.get("part") or own)
            row.links["posting rule"] = row.place, None
        return self.repost(ids)

    def on_LinesUnposted(self, stream, data, _):
        ids = [line for line in data.get("lines") or () if line in self.rows]
        for line in ids:
            self.rows[line].links.pop("posting rule", None)
        return self.repost(ids)

    def on_DepositsMatched(self, stream, data, _):
        return self.link(data, set.add)

    def on_DepositsUnmatched(self, stream, data, _):
        return self.link(data, set.discard)

    def link(self, data, change):
        ids = []
        for payout, deposit, *_ in data.get("links") or ():
            if deposit in self.rows:
                change(self.rows[deposit].deposits, payout)
                ids.append(deposit)
        return self.repost(ids)

    def on_ExceptionsRaised(self, stream, data, position):
        """Exceptions are raised, or raised again with other evidence, which opens one that was resolved."""
        pieces, lines = [], set()
        for raised in data.get("exceptions") or ():
            id, place = raised["id"], self.against(raised)
            if id in self.cases and self.cases[id].data.get("line") != raised.get("line"):
                lines |= self.release(id)
            case = self.cases.setdefault(id, Case(raised, place, position))
            case.data, case.place, case.evidence, case.is_cleared, case.resolution = raised, place, position, False, ""
            pieces += renew(case)
            row = self.rows.get(raised.get("line"))
            if row:
                if not row.exceptions:
                    row.exception_place = self.place_of(raised.get("transaction"), raised.get("movement"), row.format)
                row.exceptions.add(id)
                lines.add(raised["line"])
        pieces += self.repost(lines)
        return pieces

    def on_ExceptionsCleared(self, stream, data, _):
        pieces, lines = [], set()
        for id in data.get("exceptions") or ():
            case = self.cases.get(id)
            if case:
                case.is_cleared = True
                pieces += renew(case)
                lines |= self.release(id)
        pieces += self.repost(lines)
        return pieces

    def release(self, id):
        """An exception does not explain its line any more. The lines that it explained."""
        case = self.cases.get(id)
        row = self.rows.get(case.data.get("line")) if case else None
        if not row or id not in row.exceptions:
            return set()
        row.exceptions.discard(id)
        return {case.data["line"]}

    def on_ExceptionResolved(self, stream, data, _):
        case = self.cases.get(stream.partition("/")[2])
        if not case or case.is_cleared or case.resolution or data.get("evidence", case.evidence) != case.evidence:
            return []
        case.resolution = (data.get("resolution") or {}).get("kind", "")
        return renew(case)

    def on_ExceptionReopened(self, stream, data, _):
        case = self.cases.get(stream.partition("/")[2])
        if not case or not case.resolution:
            return []
        case.is_cleared, case.resolution = False, ""
        row = self.rows.get(case.data.get("line"))
        if row:
            row.exceptions.add(case.data["id"])
        return renew(case) + self.repost([case.data["line"]] if row else [])

    def against(self, raised):
        """The account and part against which an exception's amount is in suspense."""
        row, kind = self.rows.get(raised.get("line")), raised["class"]
        if kind == "fee-differs":
            return FEES, OTHER_FEES
        if row and row.data["type"] == "fee":
            if row.links:
                return row.place
            components = list(row.data.get("fee") or ())
            return FEES, components[0] if len(components) == 1 else OTHER_FEES
        if kind == "unmatched-deposit":
            return (BANK if row and row.side == "bank" else IN_TRANSIT), ""
        if row and row.data["type"] in ("reserve", "reserve-release"):
            return RESERVE, row.format
        if row and row.data["type"] == "conversion":
            return CLEARING, ""
        processor = row.format if row and row.side == "processor" else ""
        return self.place_of(raised.get("transaction"), raised.get("movement"), processor)

    def repost(self, ids):
        """What the lines post now, less what they had posted."""
        return [piece for id in ids for piece in renew(self.rows[id])]


def renew(subject):
    """What a line or exception posts now, less what it had posted, each for its merchant and day."""
    before, subject.posted = subject.posted, subject.legs()
    earlier, subject.posted_at = subject.posted_at, subject.at
    if earlier in (None, subject.at):
        return [Piece(subject.posted.less(before), *subject.at)]
    return [Piece(subject.posted, *subject.at), Piece(Legs().less(before), *earlier)]
