"""The ledger's own trial balance, and the differences to it."""
import json

from . import Unusable
from .accounts import Legs
from .days import KEYS


def read_balances(path):
    """The balances of an answer of `GET /v1/trial-balance?by=account,part`, of its pages, or of its NDJSON."""
    balances = Legs()
    for (account, part, currency), amount in read_answer(path)[1].items():
        balances.add(account, part, currency, amount)
    return balances


def read_answer(path):
    """The keys of an answer and its balances: by account and part, unless its rows have other keys beside them."""
    with open(path, "rb") as file:
        text = file.read()
    try:
        documents = [json.loads(text)]
    except ValueError:
        try:
            documents = [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError:
            raise Unusable(f"{path} is not JSON") from None
    items, balances = list(items_of(documents, path)), {}
    try:
        named = {key for item in items for key in KEYS if item.get(key)}
    except AttributeError:
        raise Unusable(f"{path} has items that are no balances") from None
    keys = tuple(key for key in KEYS if key in named) if named - {"account", "part"} else ("account", "part")
    for item in items:
        try:
            if keys == ("account", "part"):
                item["account"]
            for side, sign in (("debit", 1), ("credit", -1)):
                value, currency = money(item.get(side), item)
                if value:
                    key = (*(item.get(key) or "" for key in keys), currency)
                    balances[key] = balances.get(key, 0) + sign * value
        except (KeyError, TypeError, AttributeError):
            raise Unusable(f"{path}: {json.dumps(item)[:80]} is no balance of an account") from None
    return keys, balances


def items_of(documents, path):
    for document in documents:
        if isinstance(document, list):
            yield from document
        elif isinstance(document, dict) and isinstance(document.get("items"), list):
            if document.get("next"):
                raise Unusable(f"{path} is one page of several: it names a next one")
            yield from document["items"]
        elif isinstance(document, dict) and ("account" in document or "currency" in document):
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
            *names, currency = key
            name = "/".join(name for name in names if name)
            result.append(f"{name} {currency}: the log gives {log}, the answer has {answer}, difference {answer - log}")
    return result
