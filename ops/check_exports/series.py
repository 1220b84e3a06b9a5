"""A series: files of which each begins where the one before it ends."""
from collections import Counter

from .files import statements
from .names import DECIMALS


class Series:
    def __init__(self):
        self.balances, self.breaches, self.entries = Counter(), [], 0
        self._opened, self._currencies, self._known, self._declares = set(), set(), set(), False
        self._sums, self._entry, self._last = Counter(), None, 0

    def read(self, path):
        for number, kind, *rest in statements(path):
            place = f"{path}, line {number}"
            {"open": self._open, "currency": self._currency, "entry": self._begin, "about": self._about,
             "posting": self._posting}[kind](place, *rest)
        self._end()
        return self

    def _open(self, place, account):
        self._end()
        if account in self._opened:
            self.breaches.append(f"{place}: {account} is opened again")
        self._opened.add(account)

    def _currency(self, place, code, decimals):
        self._declares = True
        self._decimals(place, code, decimals)
        if code in self._currencies:
            self.breaches.append(f"{place}: {code} is declared again")
        self._currencies.add(code)

    def _begin(self, place, day, position):
        self._end()
        self.entries += 1
        self._entry = place
        if (position, day) in self._known:
            self.breaches.append(f"{place}: position {position} of {day} is there again")
        if position < self._last:
            self.breaches.append(f"{place}: position {position} follows {self._last}")
        self._known.add((position, day))
        self._last = position

    def _about(self, place, name):
        pass

    def _posting(self, place, account, minor, code, decimals):
        if self._entry is None:
            self.breaches.append(f"{place}: a posting without an entry")
        if account not in self._opened:
            self.breaches.append(f"{place}: {account} is not opened")
        if self._declares and code not in self._currencies:
            self.breaches.append(f"{place}: {code} is not declared")
        self._decimals(place, code, decimals)
        self._sums[code] += minor
        self.balances[account, code] += minor

    def _decimals(self, place, code, decimals):
        if decimals != DECIMALS.get(code, 2):
            self.breaches.append(f"{place}: {code} has {DECIMALS.get(code, 2)} decimals, not {decimals}")

    def _end(self):
        for code, amount in self._sums.items():
            if amount:
                self.breaches.append(f"{self._entry}: the entry adds up to {amount} {code}")
        self._sums, self._entry = Counter(), None

    def compare(self, theirs, names, report=None):
        """Compares with balances by account, part and currency, and adds each difference to the breaches. So are those
        of a report by account and currency, if there is one."""
        named = Counter()
        for (account, part, code), amount in theirs.items():
            named[names.of_account(account, part), code] += amount
        self._compare("the files give", self.balances, named, names)
        if report is not None:
            self._compare("the report gives", report, named, names)
        return self

    def _compare(self, source, balances, named, names):
        found = Counter()
        for (account, code), amount in balances.items():
            found[names.of_name(account), code] += amount
        for account, code in sorted(set(named) | set(found)):
            ours, answer = found[account, code], named[account, code]
            if ours != answer:
                self.breaches.append(f"{account} {code}: {source} {ours}, the answer has {answer}")
