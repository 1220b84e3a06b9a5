"""The ledger's own trial balance, and the differences to it."""
import json

from . import Unusable
from .accounts import Legs


def read_balances(path):
    """The balances of an answer of `GET /v1/trial-balance?by=account,part`, of its pages, or of its NDJSON."""
    with open(path, "rb") as file:
        text = file.read()
    try:
        documents = [json.loads(text)]
    except ValueError:
        try:
            documents = [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError:
            raise Unusable(f"{path} is not JSON") from None
    balances = Legs()
    for item in items_of(documents, path):
        try:
            for side, sign in (("debit", 1), ("credit", -1)):
                value, currency = money(item.get(side), item)
                if value:
                    balances.add(item["account"], item.get("part") or "", currency, sign * value)
        except (KeyError, TypeError, AttributeError):
            raise Unusable(f"{path}: {json.dumps(item)[:80]} is no balance of an account") from None
    return balances


def items_of(documents, path):
    for document in documents:
        if isinstance(document, list):
            yield from document
        elif isinstance(document, dict) and isinstance(document.get("items"), list):
            if document.get("next"):
                raise Unusable(f"{path} is one page of several: it names a next one")
            yield from document["items"]
        elif isinstance(document, dict) and "account" in document:
            yield document
        else:
            raise Unusable(f"{path} has no items")


def money(value, item):
    """An amount as a Money, or as the minor units of the item's currency."""
    if value is None:
        return 0, None
    if isinstance(value, dict):
        return value["value"], value["currency"]
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    return value, item["currency"]


def differences(ours, theirs):
    """Each balance that differs, as a text with both sides and the difference."""
    result = []
    for key in sorted(set(ours) | set(theirs)):
        log, answer = ours.get(key, 0), theirs.get(key, 0)
        if log != answer:
            account, part, currency = key
            name = f"{account}/{part}" if part else account
            result.append(f"{name} {currency}: the log gives {log}, the answer has {answer}, difference {answer - log}")
    return result
