"""The book of a payment: where its money is, as legs that add up to zero."""
from .accounts import (BANK, CASH_BACK, DISPUTE, GIFT, HOLDERS, LOSS, RECEIVABLE, SALES, SURCHARGE, TAX, TIPS, Legs,
                       holder, returns, revenue)
from .lines import Lines


class Book(dict):
    """The legs of each movement of money by its name: `capture:<id>`, `credit`, `refund:<id>` and so on."""

    def of(self, movement):
        """The legs of a movement, to be added to."""
        return self.setdefault(movement, Legs())

    def changes(self, before):
        """The legs that an event posts that changes the book `before` into this one, by movement."""
        result = {}
        for movement in {**before, **self}:
            legs = self.get(movement, Legs()).less(before.get(movement, Legs()))
            if legs:
                result[movement] = legs
        return result

    def holder(self, movement, legs):
        """The account and part where an entry with these legs put the money of a movement; None if it moved none.

        An entry that takes everything away leaves the place where it was taken.
        """
        if not any(account in HOLDERS for account, _, _ in legs):
            return None
        held = [key for key in self.get(movement, ()) if key[0] in HOLDERS]
        return (held or [key for key in legs if key[0] in HOLDERS])[-1][:2]


def book(payment):
    """The legs of all that the payment's events report. Test payments have none."""
    return Book() if payment.is_test else book_of(Lines(payment))


def receivable(lines):
    """What the processor owes by the lines so far."""
    return sum(amount for legs in book_of(lines).values() for (account, _, _), amount in legs.items()
               if account == RECEIVABLE)


def book_of(lines):
    payment, result = lines.payment, Book()
    for line in lines.lines:
        if line.left:
            tender = tender_of(line, payment)
            if line.is_credit:
                post_credit(line, tender, payment, result.of("credit"))
            else:
                post_capture(line, tender, payment, result.of(f"capture:{line.id}"))
    tender = returned_tender(lines)
    held = holder(tender, payment.vendor)
    is_dispensed = bool(lines.lines) and all(line.is_dispensed for line in lines.lines)
    for id, amount in lines.refunds.items():
        legs = result.of(f"refund:{id}")
        legs.add(*returns(tender, is_dispensed), lines.currency, amount)
        legs.add(*held, lines.currency, -amount)
    for id, amount in lines.chargebacks.items():
        legs = result.of(f"chargeback:{id}")
        legs.add(*((LOSS, "") if id in payment.lost else (DISPUTE, payment.vendor)), lines.currency, amount)
        # A processor takes the money back, whatever the tender was.
        legs.add(RECEIVABLE, payment.vendor, lines.currency, -amount)
    for id, amount in lines.fundings.items():
        if amount:
            legs = result.of(f"funding:{id}")
            legs.add(BANK, "", lines.currency, amount)
            legs.add(RECEIVABLE, payment.vendor, lines.currency, -amount)
    for name, sign in (("load", 1), ("deactivation", -1)):
        if lines.loads.get(name, 0) > 0:
            legs = result.of(name)
            legs.add(SALES, "gift", lines.currency, sign * lines.loads[name])
            legs.add(GIFT, "gift", lines.currency, -sign * lines.loads[name])
    return result


def tender_of(line, payment):
    """The kind of the tender's own account, else of the card, else what was requested."""
    return line.tender or payment.funding or payment.tender


def returned_tender(lines):
    """The tender of a return: that of the captures if they have one, else that of the payment."""
    tenders = {tender_of(line, lines.payment) for line in lines.lines}
    return tenders.pop() if len(tenders) == 1 else lines.payment.funding or lines.payment.tender


def post_capture(line, tender, payment, legs):
    """Debits who has the money. Credits tip, taxes, surcharge, cash back and revenue, as far as the money goes."""
    left, currency, amounts = line.left, line.amounts.currency, line.amounts
    legs.add(*holder(tender, payment.vendor), currency, left)
    shares = [(TIPS, payment.recipient or payment.clerk, line.tip)]
    shares += [(TAX, label, value) for label, value in amounts.taxes()]
    shares += [(SURCHARGE, "", amounts.surcharge()), (CASH_BACK, "", amounts.cashback or 0)]
    for account, part, value in shares:
        share = max(min(value, left), 0)
        legs.add(account, part, currency, -share)
        left -= share
    legs.add(*revenue(tender, line.is_dispensed), currency, -left)


def post_credit(line, tender, payment, legs):
    legs.add(*returns(tender), line.amounts.currency, line.left)
    legs.add(*holder(tender, payment.vendor), line.amounts.currency, -line.left)
