"""Reads what Daybook writes for Beancount and hledger, and nothing else."""
import re

from . import Unreadable

# Names that tenants define have the letters of Latin-1 and Latin Extended-A, too.
ACCOUNT = r"[A-Z][A-Za-z]+(?::[A-Z0-9][A-Za-z0-9\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f-]*)+"
POSTING = re.compile(rf"( {{2}}|    )({ACCOUNT})  (-?)(\d+)(?:\.(\d+))? ([A-Z]{{3}})")
BEANCOUNT = {
    "opening": re.compile(rf"1970-01-01 open ({ACCOUNT})"),
    "head": re.compile(r'(\d{4}-\d\d-\d\d) \* "Journal entry (\d+)"'),
    "about": re.compile(r'(?:  |    )([a-z-]+): (?:"((?:[^"\\\x00-\x1f]|\\["\\])*)"|(\d+))'),
}
HLEDGER = {
    "opening": re.compile(rf"account ({ACCOUNT})"),
    "head": re.compile(r"(\d{4}-\d\d-\d\d) \* \((\d+)\) Journal entry \2"),
    "about": re.compile(r"    ; ([a-z-]+): ([^,\[\]\x00-\x1f]*)"),
    "currency": re.compile(r"commodity 1000\.(0*) ([A-Z]{3})"),
}


def statements(path):
    """The statements of a file: ("open", account), ("currency", code, decimals), ("entry", day, position),
    ("about", name) and ("posting", account, minor units, currency, decimals), each with its line number first."""
    with open(path, encoding="utf-8", newline="") as file:
        lines = file.read().split("\n")
    if lines[-1:] != [""]:
        raise Unreadable(f"{path} has no end")
    rules = HLEDGER if "decimal-mark ." in lines[:2] else BEANCOUNT
    for number, line in enumerate(lines, 1):
        if not line or line == "decimal-mark ." or number == 1 and line.startswith("; "):
            continue
        posting, opening = POSTING.fullmatch(line), rules["opening"].fullmatch(line)
        head, about = rules["head"].fullmatch(line), rules["about"].fullmatch(line)
        currency = rules["currency"].fullmatch(line) if "currency" in rules else None
        if posting:
            _, account, sign, whole, decimals, code = posting.groups()
            minor = int(whole + (decimals or ""))
            yield number, "posting", account, -minor if sign else minor, code, len(decimals or "")
        elif opening:
            yield number, "open", opening[1]
        elif head:
            yield number, "entry", head[1], int(head[2])
        elif about:
            yield number, "about", about[1]
        elif currency:
            yield number, "currency", currency[2], len(currency[1])
        else:
            raise Unreadable(f"{path}, line {number}: {line[:80]!r} is not written by Daybook")
