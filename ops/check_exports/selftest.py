"""The self-test: series of two files in each format, and breaches that must be found in them."""
import json
import os
import tempfile

from . import Unreadable
from .names import STANDARD, component, full_name, name_component

LEGS = [
    # Position, day, account, part, minor units, currency, decimals.
    (7, "2026-03-01", "processor-receivable", "dejavoo", 1340, "USD", 2),
    (7, "2026-03-01", "sales", "credit", -1340, "USD", 2),
    (9, "2026-03-02", "bank", "", 1500, "JPY", 0),
    (9, "2026-03-02", "cash-in-transit", "", -1500, "JPY", 0),
    (12, "2026-03-01", "sales", "credit", 5, "USD", 2),
    (12, "2026-03-01", "tips-payable", "Ann M\u00fcller", -5, "USD", 2),
]
FIRST_OF_SECOND_FILE = 12


def amount(minor, currency, decimals):
    digits = str(abs(minor)).zfill(decimals + 1)
    whole, rest = digits[:len(digits) - decimals], digits[len(digits) - decimals:]
    return f"{'-' if minor < 0 else ''}{whole}{'.' + rest if decimals else ''} {currency}"


# The places of an answer of GET /v1/chart: sales and tips have one name, and a blank is a dash in files.
PLACES = {**{account: name.split(":", 1) for account, name in STANDARD.items()},
          "sales": ["Income", "Umsatzerl\u00f6se & tips"], "tips-payable": ["Income", "Umsatzerl\u00f6se & tips"]}
DEFINED = {account: f"{root}:{name_component(name)}" for account, (root, name) in PLACES.items()}


def files(is_hledger, legs=LEGS, charts=(STANDARD, STANDARD)):
    """The texts of the two files, whose accounts have the names of a chart each."""
    heads, bodies, known, last = (["", ""], ["", ""], set(), None)
    for position, day, account, part, minor, currency, decimals in legs:
        index = int(position >= FIRST_OF_SECOND_FILE)
        name = full_name(account, part, charts[index])
        if is_hledger and currency not in known:
            heads[index] += f"commodity 1000.{'0' * decimals} {currency}\n"
        if name not in known:
            heads[index] += f"account {name}\n" if is_hledger else f"1970-01-01 open {name}\n"
        known |= {name, currency}
        if (position, day) != last:
            title = f"({position}) Journal entry {position}" if is_hledger else f'"Journal entry {position}"'
            bodies[index] += f"\n{day} * {title}\n"
            bodies[index] += f"    ; position: {position}\n" if is_hledger else f"  position: {position}\n"
        last = position, day
        bodies[index] += f"{'    ' if is_hledger else '  '}{name}  {amount(minor, currency, decimals)}\n"
        bodies[index] += "    ; line: a%2cb\n" if is_hledger else '    line: "a \\"b\\" \\\\"\n'
    mark = "decimal-mark .\n" if is_hledger else ""
    return [f"; Journal entries\n{mark}{head}{body}" for head, body in zip(heads, bodies)]


def answer(legs=LEGS):
    sums = {}
    for _, _, account, part, minor, currency, _ in legs:
        sums[account, part, currency] = sums.get((account, part, currency), 0) + minor
    return {"items": [
        {"account": account, **({"part": part} if part else {}), "currency": currency,
         "debit" if value > 0 else "credit": {"value": abs(value), "currency": currency}}
        for (account, part, currency), value in sums.items() if value]}


class Test:
    def __init__(self, check):
        self.check, self.count, self.failed = check, 0, 0

    def expect(self, name, is_right, found):
        self.count += 1
        if not is_right:
            self.failed += 1
            print(f"FAILED {name}: {found}")

    def breaches(self, texts, balances=None, charts=(), report=None):
        with tempfile.TemporaryDirectory() as directory:
            paths = []
            for number, text in enumerate(texts):
                paths.append(os.path.join(directory, str(number)))
                with open(paths[-1], "w", encoding="utf-8", newline="") as file:
                    file.write(text)
            answered = os.path.join(directory, "answer") if balances else None
            if balances:
                with open(answered, "w", encoding="utf-8") as file:
                    json.dump(balances, file)
            answers = []
            for number, places in enumerate(charts):
                answers.append(os.path.join(directory, f"chart{number}"))
                with open(answers[-1], "w", encoding="utf-8") as file:
                    json.dump({"accounts": [{"account": account, "root": root, "name": name, "number": "1"}
                                            for account, (root, name) in places.items()]}, file)
            reported = os.path.join(directory, "report") if report else None
            if report:
                with open(reported, "w", encoding="utf-8") as file:
                    file.write(report)
            return self.check(paths, answered, answers, reported).breaches

    def found(self, name, text, texts, balances=None, charts=(), report=None):
        breaches = self.breaches(texts, balances, charts, report)
        self.expect(name, any(text in breach for breach in breaches), breaches)

    def unreadable(self, name, texts, balances=None, report=None):
        try:
            self.breaches(texts, balances, report=report)
        except Unreadable:
            self.expect(name, True, "")
        else:
            self.expect(name, False, "was read")


def report(is_hledger, legs=LEGS):
    """The balances as bean-query or hledger report them: one writes zeros and pads numbers, the other one has quotes."""
    sums = {}
    for _, _, account, part, minor, currency, decimals in legs:
        key = full_name(account, part), currency, decimals
        sums[key] = sums.get(key, 0) + minor
    rows = [(name, currency, amount(minor, currency, decimals).split()[0])
            for (name, currency, decimals), minor in sums.items()]
    if is_hledger:
        return '"account","commodity","balance"\n' + "".join(f'"{name}","{code}","{text}"\n' for name, code, text in rows)
    return "account,currency,balance\n" + "".join(f"{name},{code},{text:>9} \n" for name, code, text in rows) + (
        "Assets:Reserve,USD,     0.00 \n")


def reported(test, is_hledger):
    """Reports of the accounting programs, and breaches in them."""
    kind, texts, sound = "hledger" if is_hledger else "beancount", files(is_hledger), report(is_hledger)
    breaches = test.breaches(texts, answer(), report=sound)
    test.expect(f"{kind}: a report with the same balances", not breaches, breaches)
    test.found(f"{kind}: a report with another cent", "the report gives 1341", texts, answer(),
               report=sound.replace("13.40", "13.41"))
    test.found(f"{kind}: a report without an account", "the report gives 0", texts, answer(),
               report="".join(line for line in sound.splitlines(True) if "Assets:Bank" not in line))
    test.unreadable(f"{kind}: a report with a part of a cent", texts, answer(), sound.replace("13.40", "13.405"))
    test.unreadable(f"{kind}: a report of something else", texts, answer(), "day,total\n2026-03-01,1\n")


def planted(test, is_hledger):
    """A sound series, and breaches of it."""
    kind = "hledger" if is_hledger else "beancount"
    first, second = files(is_hledger)
    posting = "    " if is_hledger else "  "
    opening = ("account " if is_hledger else "1970-01-01 open ") + "Assets:Bank\n"

    def replaced(old, new):
        changed = [first.replace(old, new), second]
        test.expect(f"{kind}: {old!r} is there", changed[0] != first, first)
        return changed

    breaches = test.breaches([first, second], answer())
    test.expect(f"{kind}: a sound series", not breaches, breaches)
    test.found(f"{kind}: a cent less", "adds up to -1 USD", replaced("  13.40 USD", "  13.39 USD"))
    test.found(f"{kind}: a leg less", "adds up to 1500 JPY",
               replaced(f"{posting}Assets:Cash-In-Transit  -1500 JPY\n", ""))
    test.found(f"{kind}: decimals of another currency", "JPY has 0 decimals", replaced("1500 JPY", "15.00 JPY"))
    test.found(f"{kind}: an account that is not opened", "Assets:Bank is not opened", replaced(opening, ""))
    test.found(f"{kind}: an account that is opened twice", "Assets:Bank is opened again",
               replaced(opening, opening * 2))
    test.found(f"{kind}: a file twice", "is there again", [first, second, second])
    test.found(f"{kind}: files in another order", "follows", [second, first])
    test.found(f"{kind}: another account", "Assets:Reserve USD",
               replaced("Assets:Processor-Receivable:Dejavoo", "Assets:Reserve"), answer())
    test.found(f"{kind}: a file is missing", "Liabilities:Tips-Payable:Ann-M-ller", [first], answer())
    changed = answer()
    changed["items"][0]["debit"]["value"] += 1
    test.found(f"{kind}: another balance", "the answer has 1341", [first, second], changed)
    if is_hledger:
        test.found("hledger: a currency that is not declared", "JPY is not declared",
                   replaced("commodity 1000. JPY\n", ""))
        test.unreadable("hledger: a comma in a tag", [first.replace("a%2cb", "a,b"), second])
    else:
        test.unreadable("beancount: an open quote", [first.replace('\\"b\\"', '"b"'), second])
    test.unreadable(f"{kind}: a line that is not ours", [first + "include x\n"])
    test.unreadable(f"{kind}: a file that was cut", [first[:-1]])


def charted(test, is_hledger):
    """Files by a chart that a tenant defined, in force from the beginning or from the second file on."""
    kind = "hledger" if is_hledger else "beancount"
    standard = {account: name.split(":", 1) for account, name in STANDARD.items()}
    for name, charts, answers in (("one version", (DEFINED, DEFINED), [PLACES]),
                                  ("two versions", (STANDARD, DEFINED), [standard, PLACES])):
        texts = files(is_hledger, charts=charts)
        breaches = test.breaches(texts, answer(), answers)
        test.expect(f"{kind}: a chart in {name}", not breaches, breaches)
        test.found(f"{kind}: a chart in {name} that is not given", "Umsatzerl\u00f6se-tips", texts, answer())
        changed = answer()
        changed["items"][0]["debit"]["value"] += 1
        test.found(f"{kind}: another balance by {name}", "the answer has 1341", texts, changed, answers)


def run(check):
    test = Test(check)
    for part, name in (("adyen", "Adyen"), ("daybook-csv", "Daybook-csv"), ("Ann", "Ann--17239b6e25011033"),
                       ("a--b", "A-b--"), ("\u65e5", "X--"), ("7", "7")):
        test.expect(f"the component of {part}", component(part).startswith(name), component(part))
    for is_hledger in (False, True):
        planted(test, is_hledger)
        charted(test, is_hledger)
        reported(test, is_hledger)
    print(f"{test.count} cases: " + (f"{test.failed} failed" if test.failed else "all passed"))
    return 1 if test.failed else 0
