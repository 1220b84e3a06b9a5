"""Which reports of a payment count, when they disagree.

Settlement outranks the gateway, the gateway its relayed answer, and that the reader. Within one rank money that moved
outranks money that did not. Only the gateway or settlement ends money that one of them reported.
"""
from .payment import GATEWAY, is_same_tender

MONEY = {"approval", "credit", "capture", "dispense", "hold", "resolution", "tip"}
LINES = {"capture", "dispense", "credit"}


def is_denied(payment):
    """Whether the strongest verdict is that nothing was paid."""
    denied = moved = -1
    for fact in payment.facts:
        if fact.kind in MONEY:
            moved = max(moved, fact.rank)
        elif fact.kind == "denial" and is_in_force(fact, payment):
            denied = max(denied, fact.rank)
    return denied > moved


def is_in_force(denial, payment):
    """A denial may depend on the progress that the reader reported: a payment that was sent is in doubt."""
    if denial.id == "unless-sent":
        return not payment.is_sent
    if denial.id == "unless-begun":
        return not payment.is_begun
    return True


def is_reported_by_gateway(payment):
    """Whether the gateway itself or settlement reported the payment."""
    return any(fact.kind in MONEY and fact.rank >= GATEWAY for fact in payment.facts)


def strongest(facts):
    """Of reports with one id, the strongest one; the first of equal ones."""
    return max(facts, key=lambda fact: (fact.rank, -fact.position))


def merged(facts):
    """Reports of the same thing as one: the position of the first, the strongest, and all of them."""
    groups, by_id = [], {}
    for fact in facts:
        group = by_id.get(fact.id)
        if group is None and fact.marks:
            group = next((group for group in groups if is_same_tender(group[0], fact)), None)
        if group is None:
            group = []
            groups.append(group)
        by_id[fact.id] = group
        group.append(fact)
    return [(group[0].position, strongest(group), group) for group in groups]
