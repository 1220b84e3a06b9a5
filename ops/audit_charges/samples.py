"""Worlds with one call of each kind that moves money, at each gateway that takes it, and breaches planted in them.

They are made of the recorded run: its plan has one item, and the payment, its call, the answer and the books are those of
the kind. What a gateway has is that of docs/gateways.md."""
import copy
import json

from .log import derived_reference, short_reference
from .recorded import World

ACCOUNTS = {"web": ("bridgecomm", "bridgepay", "320001"), "terminal": ("spin", "dejavoo", "Z11NATASHA98"),
            "token": ("transact", "dejavoo", "139322815010")}
TAKEN = {
    "sale": ("web", "terminal", "token"), "authorization": ("web", "terminal", "token"),
    "capture": ("web", "terminal", "token"), "void": ("web", "terminal", "token"),
    "refund": ("web", "terminal", "token"), "credit": ("web", "terminal"), "tip-adjustment": ("web", "terminal"),
    "reversal": ("web",), "automatic reversal": ("web",), "automatic void": ("terminal", "token"),
}
# The kinds that have a line of their own in the books. The others change the line of the payment.
OWN_LINE = ("sale", "authorization", "refund", "credit")
BEFORE = "2026-11-25T17:00:00.000000Z"
USD = "USD"

def money(value):
    return {"value": value, "currency": USD}

class SampleWorld(World):
    def __init__(self, kind, gateway):
        super().__init__()
        self.kind, self.gateway = kind, gateway
        self.is_automatic = kind.startswith("automatic")
        self.operation = kind.split(" ")[-1]
        self.reversals = self.is_automatic
        plan = [event for event in self.events if event["stream"].startswith("replay/")]
        self.call, recorded = self.sale(), self.charge()
        self.transaction = self.call["stream"][len("transaction/"):]
        self.events, self.books = [], []
        self.payment(recorded)
        self.plan(plan)
        self.send()
        self.take_effect(recorded)

    def add(self, kind, data):
        """An event of the payment, made of its call."""
        event = dict(copy.deepcopy(self.call), type=kind, data=data)
        self.events.append(event)
        return event

    def payment(self, recorded):
        """What the app reported before. A follow-up is about a payment that the books have."""
        if self.kind in ("sale", "authorization", "credit"):
            self.add(self.kind.capitalize() + "Requested",
                     {"amounts": {"total": money(2000)}, "references": {"invoice": "7"}})
            return
        names, is_sale = {"gatewayTransaction": "9001"}, self.kind != "capture"
        self.add("SaleRequested" if is_sale else "AuthorizationRequested",
                 {"amounts": {"total": money(2000)}, "references": names})
        self.add("AuthorizationApproved", {"amounts": {"total": money(2000)}, "references": names})
        if is_sale:
            self.add("Captured", {"id": "sale", "amounts": {"total": money(2000)}, "references": names})
        line = self.line(recorded, "sale" if is_sale else "authorization", "9001", "app-7")
        line.update(at=BEFORE, **({} if is_sale else {"state": "authorized", "captured": 0}))

    def line(self, recorded, kind, name, reference):
        _, vendor, account = ACCOUNTS[self.gateway]
        line = dict(recorded, gateway=vendor, account=account, id=name, kind=kind, reference=reference, invoice=name)
        self.books.append(line)
        return line

    def plan(self, events):
        if self.is_automatic:
            return
        for event in events:
            data = event["data"]
            if data.get("item") == 2 or event["type"] in ("ReplayItemEnded", "ReplayCompleted"):
                continue
            if event["type"] == "ReplayItemsPlanned":
                item = dict(data["items"][0], operation=self.operation, transaction=self.transaction)
                del item["amount"]
                item.update({"tip": money(300)} if self.operation == "tip-adjustment" else {"amount": money(2000)})
                data["items"] = [item]
            self.events.append(event)

    def send(self):
        """The call and its answer. A credit is a refund of no named payment."""
        operation = "refund" if self.operation == "credit" else self.operation
        data = dict(self.call["data"], operation=operation, gateway=self.gateway, vendor=ACCOUNTS[self.gateway][1],
                    account=ACCOUNTS[self.gateway][2],
                    reference=derived_reference("acme", self.transaction, self.operation, 1))
        if self.operation == "tip-adjustment":
            data.update(amount=money(2300), tip=money(300))
        self.call = self.add("GatewayCallSent", data)
        if self.is_automatic:
            self.call["correlation"] = "resolver"

    def take_effect(self, recorded):
        sent, names = self.call["data"]["reference"], {"gatewayTransaction": "9002"}
        total = {"amounts": {"total": money(2000)}, "references": names}
        if self.kind in OWN_LINE:
            reference = short_reference(sent)[:20] if self.gateway == "token" else sent
            self.own = self.line(recorded, self.kind, "9002", reference)
        if self.kind == "sale":
            self.add("AuthorizationApproved", total)
            self.add("Captured", dict(total, id="sale"))
        elif self.kind == "authorization":
            self.own.update(state="authorized", captured=0)
            self.add("AuthorizationApproved", total)
        elif self.kind == "refund":
            self.own["original"] = "9001"
            self.add("Refunded", {"id": sent, "amount": money(2000)})
        elif self.kind == "credit":
            self.add("CreditApproved", total)
        elif self.kind == "capture":
            self.books[0].update(state="captured", captured=2000)
            self.add("Captured", dict(total, id=sent))
        elif self.kind == "tip-adjustment":
            self.books[0].update(captured=2300, tip=300)
            self.add("TipAdjusted", {"tip": money(300)})
        else:
            self.books[0].update(state="voided")
            self.add("Voided" if self.operation == "void" else "Reversed", {"id": sent})

    def configuration(self):
        gateways = {name: {"kind": kind, "tenant": "acme", **({"merchant": {"account": account}} if kind == "bridgecomm"
                                                             else {"tpn": account})}
                    for name, (kind, _, account) in ACCOUNTS.items()}
        gateways["other"] = {"kind": "spin", "tenant": "globex", "tpn": "Z11OTHER0001"}
        for gateway in gateways.values():
            gateway["reversals"] = "on" if self.reversals else "off"
        return json.dumps({"daybook": {"gateway": gateways}})

# Plants

def no_approval(world):
    world.events.remove(world.first("ReplayApproved"))

def stopped(world):
    world.insert("ReplayStopped", world.first("ReplayItemAttempted"))

def no_item(world):
    world.call["correlation"] = "planted"
    world.reversals = False

def other_operation(world):
    world.first("ReplayItemsPlanned")["data"]["items"][0]["operation"] = "planted"

def gift(operation):
    def plant(world):
        """Daybook plans no loads of gift cards, so that no item allows one."""
        world.call["data"]["operation"] = operation
    return plant

def other_amount_sent(world):
    world.call["data"]["amount"]["value"] += 1

def other_amount_booked(world):
    for name in ("requested", "approved", "captured"):
        world.own[name] += 1

def other_tip_sent(world):
    world.call["data"]["tip"]["value"] += 1

def other_tenant(world):
    world.call["data"]["account"] = "Z11OTHER0001"
    if world.kind in OWN_LINE:
        world.own["account"] = "Z11OTHER0001"

def lost(world):
    """The log ends before the call; its reference can be derived."""
    world.events = world.events[:world.events.index(world.call)]

def twice(world):
    world.books.append(dict(world.own, id="9003"))

def without_approval(world):
    world.events.remove(world.first("AuthorizationApproved"))

def reversals_off(world):
    world.reversals = False

def later(world):
    world.own["at"] = "2026-12-24T00:00:00.000000Z"

def plants(kind):
    """The breaches of a kind of call: their codes and plants."""
    yield "account-of-other-tenant", other_tenant
    if kind.startswith("automatic"):
        yield "call-without-item", reversals_off
        yield "call-without-item", without_approval
        return
    yield "item-without-approval", no_approval
    yield "charge-outside-of-run", stopped
    yield "call-without-item", no_item
    yield "call-without-item", other_operation
    for operation in ("giftActivation", "giftLoad", "giftDeactivation"):
        yield "call-without-item", gift(operation)
    yield "amount-differs", other_tip_sent if kind == "tip-adjustment" else other_amount_sent
    if kind in OWN_LINE:
        yield "amount-differs", other_amount_booked
        yield "charge-without-call", lost
        yield "double-charge", twice
        yield "charge-outside-of-run", later

def captured_elsewhere(world):
    world.books[0]["captured"] += 1

def cases():
    """A code, a plant, and the world in which it is planted. Without a code the world is sound."""
    for kind, gateways in TAKEN.items():
        for gateway in gateways:
            yield None, None, SampleWorld(kind, gateway)
            for code, plant in plants(kind):
                world = SampleWorld(kind, gateway)
                plant(world)
                yield code, plant, world
