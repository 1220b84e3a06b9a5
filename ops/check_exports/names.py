"""The names of accounts and parts, and the decimals of currencies, as docs/journal.md describes them."""
import hashlib
import json

from . import Unreadable

ROOTS = {
    "Assets": ("processor-receivable", "cash-in-transit", "bank", "undeposited-cash", "cash-back", "cash-machine",
               "reserve", "dispute-receivable"),
    "Liabilities": ("tips-payable", "tax-payable", "gift-liability"),
    "Equity": ("currency-clearing", "suspense"),
    "Income": ("sales", "surcharge"),
    "Expenses": ("refunds", "fees", "dispute-loss", "write-off", "rounding"),
}
ROOT_OF = {account: root for root, accounts in ROOTS.items() for account in accounts}

LOWER = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
LETTERS = LOWER | frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")

# Currencies whose minor unit is not a hundredth (ISO 4217). Those without one count whole units.
DECIMALS = {
    **dict.fromkeys("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split(), 0),
    **dict.fromkeys("XAU XAG XPT XPD XDR XSU XUA XBA XBB XBC XBD XTS XXX".split(), 0),
    **dict.fromkeys("BHD IQD JOD KWD LYD OMR TND".split(), 3),
    **dict.fromkeys("CLF UYW".split(), 4),
}


def capital(text):
    return text[:1].upper() + text[1:]


def component(part):
    """A part of an account as a component of its name."""
    if part[:1] in LOWER and len(part) <= 60 and "--" not in part and all(c in LOWER or c == "-" for c in part):
        return capital(part)
    readable = ""
    for byte in part.encode():
        if len(readable) == 40:
            break
        if chr(byte) in LETTERS:
            readable += chr(byte)
        elif readable and not readable.endswith("-"):
            readable += "-"
    return capital(readable.rstrip("-") or "x") + "--" + hashlib.sha256(part.encode()).hexdigest()[:16]


STANDARD = {account: root + ":" + "-".join(capital(word) for word in account.split("-"))
            for account, root in ROOT_OF.items()}


def full_name(account, part, chart=STANDARD):
    name = chart[account]
    return f"{name}:{component(part)}" if part else name


def is_letter_or_digit(character):
    return character in LETTERS or "\u00c0" <= character <= "\u017f" and character not in "\u00d7\u00f7"


def name_component(name):
    """A name that a tenant defined, as a component of an account's full name."""
    text = "".join(character if is_letter_or_digit(character) else " " for character in name)
    return capital("-".join(text.split()))


def read_chart(path):
    """The full name of each account by an answer of `GET /v1/chart`."""
    try:
        with open(path, encoding="utf-8") as file:
            places = json.load(file)["accounts"]
        return {place["account"]: f"{place['root']}:{name_component(place['name'])}" for place in places}
    except (ValueError, KeyError, TypeError) as error:
        raise Unreadable(f"{path} is not a chart of accounts: {error!r}") from error


class Names:
    """What the names in files mean by the versions of the chart: a name may be of several accounts, and an account may
    have other names in earlier files. Everything that is connected so is one group."""

    def __init__(self, charts=()):
        self._parents = {}
        for chart in charts or [STANDARD]:
            for account, name in sorted(chart.items(), key=lambda pair: pair[1]):
                self._join(name, account)

    def _root(self, node):
        while self._parents.get(node, node) != node:
            node = self._parents[node]
        return node

    def _join(self, name, account):
        self._parents.setdefault(name, name)
        first, second = self._root(name), self._root(account)
        if first != second:
            # An account without a name so far has its own id as the root, which has no colon.
            keep, other = (first, second) if ":" not in second or first < second else (second, first)
            self._parents[other] = keep

    def of_account(self, account, part):
        """The name of the group with a part of an account."""
        name = self._root(account)
        return f"{name}:{component(part)}" if part else name

    def of_name(self, full):
        """The name of the group with a full name in a file."""
        root, name, *part = full.split(":")
        return ":".join([self._root(f"{root}:{name}"), *part])
