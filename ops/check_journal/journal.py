"""Posts the events of a log, one after another: each posts the book after it, less the book before it."""
from . import Missing, Unusable
from .accounts import RECEIVABLE, Legs
from .book import book
from .days import Days, Piece
from .log import Order
from .payment import Payment
from .statements import Statements


class Tenant:
    """The journal of one tenant."""

    def __init__(self, is_by_day=False):
        self.payments, self.balances, self.entries = {}, Legs(), 0
        self.days = Days() if is_by_day else None
        self.statements = Statements(self.place_of, self.payments)

    def place_of(self, transaction, movement, processor=""):
        """The account and part that have a payment's money: that of the named movement, else of its newest entry, else
        the processor itself."""
        payment = self.payments.get(transaction)
        place = payment and (payment.places.get(movement) or payment.place)
        return place or (RECEIVABLE, processor)

    def legs(self, event):
        """What one event posts."""
        legs = Legs()
        if self.days:
            # The names that an event links date its own entry, too.
            self.days.merchants.note(event)
        for piece in self.pieces(event):
            legs.join(piece.legs)
            if self.days:
                self.days.post(event, piece)
        if self.days:
            self.days.note(event)
        return legs

    def by(self, keys):
        """The balances by some keys and the currency."""
        return self.balances if keys == ("account", "part") else self.days.by(keys)

    def pieces(self, event):
        """What one event posts, by merchant and day."""
        kind, _, id = event["stream"].partition("/")
        if kind != "transaction":
            return self.statements.add(event)
        payment = self.payments.setdefault(id, Payment())
        return self.change(payment, self.statements.is_paid(id)) if payment.add(event) else []

    def change(self, payment, is_paid):
        """The difference of the payment's books, which is its newest entry. With another merchant, all of it moves."""
        after, pieces = book(payment), []
        before, earlier, merchant = payment.posted, payment.posted_for, payment.merchant
        is_first = not any(before.values())
        if merchant != earlier:
            pieces += [Piece(Legs().less(legs), earlier, is_funding=movement.startswith("funding:"))
                       for movement, legs in before.items()]
        for movement, legs in (after if merchant != earlier else after.changes(before)).items():
            is_new = is_first if merchant != earlier else not before.get(movement)
            local = payment.local_time(movement) if is_new else None
            pieces.append(Piece(legs, merchant, local=local, is_funding=movement.startswith("funding:")))
        if is_paid:
            # A line has the payment's money: it is in a payout, which the bank reports.
            pieces = [piece for piece in pieces if not piece.is_funding]
        payment.posted_for = merchant
        for movement, changed in after.changes(before).items():
            place = after.holder(movement, changed)
            if place:
                payment.places[movement] = payment.place = place
        payment.posted = after
        return pieces


class Journal:
    """The journals of all tenants, and what is wrong with the log."""

    def __init__(self, tenant=None, is_of_one_tenant=False, observe=None, is_by_day=False):
        """With a tenant, others are read and not posted. `observe` gets each event with its legs."""
        self.tenant, self.observe, self.is_by_day = tenant, observe, is_by_day
        self.order = Order(is_of_one_tenant)
        self.tenants, self.breaches, self.events = {}, [], 0

    def read(self, events):
        for event in events:
            self.events += 1
            self.breaches += self.order.check(event)
            if self.tenant in (None, event["tenant"]) and not event["tenant"].startswith("_"):
                self.post(event)
        return self

    def post(self, event):
        tenant = self.tenants.setdefault(event["tenant"], Tenant(self.is_by_day))
        try:
            legs = tenant.legs(event)
        except Missing as missing:
            self.breaches.append(f"position {event['position']}: {missing}")
            return
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise Unusable(f"the event at position {event['position']} ({event['type']}) has another shape: "
                           f"{type(error).__name__} {error}") from None
        for currency, amount in legs.sums().items():
            self.breaches.append(
                f"position {event['position']}: the legs of {event['type']} add up to {amount} {currency}")
        tenant.entries += bool(legs)
        tenant.balances.join(legs)
        if self.observe:
            self.observe(event, legs)
