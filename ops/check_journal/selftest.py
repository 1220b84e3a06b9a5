"""The self-test: cases with known balances, and breaches that must be found."""
import contextlib
import io
import json
import os
import tempfile

from . import Unusable, cases, histories, merchant_cases
from .accounts import Legs
from .journal import Journal, Tenant
from .report import show
from .samples import TRADING_DAY, USD, Log, answer, money, trading_day


def named(balances):
    """Balances by name; the currency is part of the name if it is another one than the dollar."""
    result = {}
    for (account, part, currency), amount in balances.items():
        name = f"{account}/{part}" if part else account
        result[name if currency == USD else f"{name} {currency}"] = amount
    return result


class Test:
    def __init__(self, check):
        self.check, self.count, self.failed = check, 0, 0

    def expect(self, name, is_right, found):
        self.count += 1
        if not is_right:
            self.failed += 1
            print(f"FAILED {name}: {found}")

    def balances(self, name, log, expected):
        """The log leaves these balances, and nothing is wrong with it."""
        journal, breaches = self.check("the case", lines=log.lines())
        found = named(journal.tenants["acme"].balances)
        expected = {key: amount for key, amount in expected.items() if amount}
        self.expect(name, found == expected and not breaches, f"{found}, {breaches}; expected {expected}")

    def breach(self, name, text, lines, balances=None, **options):
        """One of the findings has this text, and the exit code is 1."""
        with answer_file(balances) as path:
            journal, breaches = self.check("the case", lines=lines, balances=path, **options)
        with contextlib.redirect_stdout(io.StringIO()):
            code = show(journal, breaches, False)
        self.expect(name, code == 1 and any(text in breach for breach in breaches), breaches)

    def sound(self, name, lines, balances=None, **options):
        with answer_file(balances) as path:
            _, breaches = self.check("the case", lines=lines, balances=path, **options)
        self.expect(name, not breaches, breaches)

    def unusable(self, name, lines, balances=None, **options):
        try:
            with answer_file(balances) as path:
                self.check("the case", lines=lines, balances=path, **options)
        except Unusable:
            self.expect(name, True, "")
        else:
            self.expect(name, False, "was read")


@contextlib.contextmanager
def answer_file(balances):
    """A file with an answer of the ledger, or with the given text; None without one."""
    if balances is None:
        yield None
        return
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "balances.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(balances if isinstance(balances, str) else json.dumps(answer(balances)))
        yield path


def planted(test):
    """Breaches that must be found."""
    log, right = trading_day(), TRADING_DAY
    lines = log.lines()
    test.balances("trading day", log, right)
    test.sound("the ledger's own answer", lines, right)
    for name, amount in right.items():
        if amount:
            test.breach(f"{name} changed by one", f"{name} USD: the log gives {amount}", lines,
                        {**right, name: amount + 1})
            test.breach(f"{name} without a balance", f"{name} USD", lines, {**right, name: 0})
    test.breach("an account too many", "suspense/x USD: the log gives 0", lines, {**right, "suspense/x": 3})
    test.breach("another currency", "EUR", lines, json.dumps({"items": [
        {"account": "bank", "currency": "EUR", "debit": {"value": 1, "currency": "EUR"}}]}))
    for missing, event in enumerate(log.events):
        rest = log.events[:missing] + log.events[missing + 1:]
        if missing + 1 < len(log.events):
            test.breach(f"without {event['type']}", f"position {missing + 1}: missing", log.lines(rest))
    without = [event for event in log.events if event["type"] != "TipAdjusted"]
    for position, event in enumerate(without, 1):
        without[position - 1] = {**event, "position": position}
    test.breach("a missing event behind which positions were changed", "has version 6, and 5 was to follow",
                log.lines(without))
    renumbered = Log()
    for event in without:
        renumbered.add(event["stream"], (event["type"], event["data"]))
    test.sound("a log without the event, renumbered", renumbered.lines())
    test.breach("and its balances", "tips-payable USD: the log gives 0, the answer has -200", renumbered.lines(), right)
    test.breach("an event twice", "follows position", lines + lines[-1:])
    test.breach("legs that do not add up", "add up to 7 USD", lines, None, tenant="unbalanced")


def dated(test):
    """Balances by day, and the same ones with an entry on another day or of another closed one."""
    for name, log, rows in cases.days():
        source = "processor-receivable/adyen-settlement" if "line" in name or "file" in name else "processor-receivable"
        other = "sales" if source == "processor-receivable" else "suspense"
        sums = {}
        for day, adjusts, amount in rows:
            for account, value in ((source, amount), (other, -amount)):
                key = account, day, adjusts
                sums[key] = sums.get(key, 0) + value

        def lines_of(sums):
            return json.dumps({"items": [
                {"account": account.partition("/")[0], "day": day, **({"adjusts": adjusts} if adjusts else {}),
                 "currency": USD, "debit" if value > 0 else "credit": money(abs(value))}
                for (account, day, adjusts), value in sums.items() if value]})

        test.sound(f"days: {name}", log.lines(), lines_of(sums))
        (account, day, adjusts), value = next((key, value) for key, value in sums.items() if value)
        for changed in ((account, "2026-02-01", adjusts), (account, day, "2026-02-01")):
            wrong = {**{key: amount for key, amount in sums.items() if key != (account, day, adjusts)}, changed: value}
            test.breach(f"days: {name}, elsewhere", "2026-02-01", log.lines(), lines_of(wrong))


def unreadable(test):
    lines = trading_day().lines()
    test.unusable("no JSON", [b"{"])
    test.unusable("another document", [b'{"position": 1}'])
    test.unusable("an event of another shape", Log().add("transaction/a", ("Captured", {"evidence": "reader"})).lines())
    test.unusable("an answer that is no JSON", lines, "{")
    test.unusable("an answer without items", lines, '{"title": "refused"}')
    test.unusable("the first page of several", lines, '{"items": [], "next": "abc"}')
    test.unusable("a balance without an account", lines, '{"items": [{"debit": {"value": 1, "currency": "USD"}}]}')
    test.unusable("another tenant", lines, tenant="nobody")
    other = Log("other").add("transaction/a", *cases.GATEWAY_SALE).events
    both = trading_day().events
    both += [{**event, "position": len(both) + number} for number, event in enumerate(other, 1)]
    test.unusable("balances of one of two tenants", Log().lines(both), TRADING_DAY)
    test.sound("the tenant by name", Log().lines(both), TRADING_DAY, tenant="acme")
    test.breach("a tenant's log as that of all", "missing", Log().lines(both[-2:]))
    test.sound("the export of one tenant", Log().lines(both[-3:]), is_of_one_tenant=True)


def played(test):
    """Histories: one with right and with wrong legs, then those of the repository. How many of these there are."""
    kind, data = cases.sold()
    for amount, is_right in ((-1000, True), (-999, False)):
        legs = {"processor-receivable": 1000, "sales": amount}
        wrong = histories.play({"events": [{"type": kind, "data": data, "legs": legs}]})
        test.expect(f"a history that posts {amount}", is_right != bool(wrong), wrong)
    count = 0
    for path in histories.kept_files():
        for history in histories.read_histories(path):
            count += 1
            try:
                wrong = histories.play(history)
            except (KeyError, TypeError, AttributeError) as error:
                raise Unusable(f"{path}: a history has another shape: {type(error).__name__} {error}") from None
            test.expect(f"{os.path.basename(path)}: {history.get('name')}", not wrong, "; ".join(wrong))
    return count


def run(check):
    def checked(path, **options):
        if options.get("tenant") == "unbalanced":
            return unbalanced(options["lines"])
        return check(path, **options)

    test = Test(checked)
    for name, events, expected in cases.payments():
        test.balances(name, Log().add("transaction/a", *events), expected)
    for name, log, expected in (*cases.statements(), *cases.places()):
        test.balances(name, log, expected)
    planted(test)
    dated(test)
    unreadable(test)
    merchant_cases.run(test)
    count = played(test)
    kept = f", {count} of them histories of the repository" if count else ""
    print(f"{test.count} cases{kept}: " + (f"{test.failed} failed" if test.failed else "all passed"))
    return 1 if test.failed else 0


def unbalanced(lines):
    """Reads a log with a journal whose first entry lacks a leg."""
    class Careless(Tenant):
        def legs(self, event):
            return Legs({("bank", "", USD): 7}) if event["position"] == 1 else super().legs(event)

    journal = Journal()
    journal.tenants["acme"] = Careless()
    journal.read(json.loads(line) for line in lines)
    return journal, journal.breaches
