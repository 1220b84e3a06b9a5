"""A report of balances by an accounting program."""
import csv
from collections import Counter
from decimal import Decimal, InvalidOperation

from . import Unreadable
from .names import DECIMALS


def read_report(path):
    """The balances in minor units by account and currency: of CSV with the columns account, currency or commodity, and
    balance, as bean-query and `hledger balance --layout=bare` write it."""
    balances = Counter()
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            try:
                account, code = row["account"].strip(), (row.get("currency") or row["commodity"]).strip()
                minor = Decimal(row["balance"].strip()).scaleb(DECIMALS.get(code, 2))
            except (KeyError, AttributeError, InvalidOperation) as error:
                raise Unreadable(f"{path} is not a report of balances: {error!r}") from error
            if minor != int(minor):
                raise Unreadable(f"{path}: {account} has parts of a minor unit of {code}")
            balances[account, code] += int(minor)
    return balances
