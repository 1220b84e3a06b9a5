"""Explains each charge of the books by the log, and finds what nothing in the log allows."""
import datetime
import re

from .log import person, total

# The form of Daybook's own references of attempts: a UUID of version 8.
OWN_FORM = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
# The clocks of a gateway and of the log may differ by this much.
CLOCKS_DIFFER = datetime.timedelta(minutes=15)
RETURNS = ("Refunded", "RefundVoided", "Voided", "Reversed", "CaptureReversed")
# Calls that change a charge; the books have its last state, and no line for each change.
CHANGES = ("capture", "tip-adjustment", "void", "reversal")
INSTEAD = {"credit": ("refund",), "reversal": ("void",)}

def moment(text):
    return datetime.datetime.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")

class Audit:
    def __init__(self, log, charges, accounts, lost=None):
        self.log, self.charges, self.accounts, self.lost = log, charges, accounts, lost
        self.breaches, self.explained = {}, []

    def breach(self, code, place, detail):
        """A breach with the same code at the same place is reported once."""
        self.breaches.setdefault((place, code), detail)

    def run(self):
        self.check_log()
        for call in self.log.all_calls:
            self.check_account(call["tenant"], call["data"].get("account"), ("position", call["position"]))
        for call in self.log.calls:
            self.check_call(call)
        names = self.log.derived()
        for charge in self.charges:
            self.explain(charge, names)
        self.check_repeats()

    # The log

    def check_log(self):
        if not self.lost:
            return
        checkpoint, shared = self.lost
        self.breach("events-lost", ("position", min(checkpoint.size, self.log.leaves + 1)),
                    f"the witness has another log of {checkpoint.size} events, and no LogEpochBegun names it")
        for call in self.log.calls:
            if call["position"] > shared:
                self.breach("events-lost", ("position", call["position"]),
                            f"a call after position {shared}, the last one that log and witness share")

    # Calls

    def check_call(self, call):
        data, place = call["data"], ("position", call["position"])
        plan, attempt = self.attempt(call)
        if attempt is None:
            if not self.is_automatic(call):
                self.breach("call-without-item", place, f"{data['operation']} that no item or rule allows")
            return
        item = plan.items.get(attempt["data"]["item"])
        if not self.allows(item, attempt, call):
            self.breach("call-without-item", place, f"{data['operation']} that its item does not allow")
        else:
            self.check_amount(item, data, place)
        self.check_approval(plan, attempt, place)

    def attempt(self, call):
        plan, attempt = self.log.attempts.get((call["tenant"], call["correlation"]), (None, None))
        return (plan, attempt) if attempt and attempt["position"] < call["position"] else (None, None)

    def allows(self, item, attempt, call):
        operation = call["data"]["operation"]
        return (item is not None and item["disposition"] == "resubmit"
                and item["transaction"] == attempt["data"]["transaction"]
                and call["stream"] == "transaction/" + item["transaction"]
                and (operation == item["operation"] or operation in INSTEAD.get(item["operation"], ())))

    def is_automatic(self, call):
        """Reversals and voids of what the host approved are sent without a plan where the gateway has them on."""
        data = call["data"]
        if data["operation"] not in ("reversal", "void"):
            return False
        if self.accounts.is_known and data["gateway"] not in self.accounts.reversals:
            return False
        before = (event for event in self.log.streams[call["tenant"], call["stream"]]
                  if event["position"] < call["position"])
        return any(event["type"] == "AuthorizationApproved" or event["type"] == "OutcomeResolved"
                   and event["data"].get("outcome") == "approved" for event in before)

    def check_amount(self, item, data, place):
        asked, allowed = data.get("amount"), item.get("amount")
        if asked and allowed and asked != allowed:
            self.breach("amount-differs", place, f"{shown(asked)} was sent, {shown(allowed)} was approved")
        asked, allowed = data.get("tip"), item.get("tip")
        if asked and allowed and asked != allowed:
            self.breach("amount-differs", place, f"a tip of {shown(asked)} was sent, {shown(allowed)} was approved")

    def check_account(self, tenant, account, place):
        if not self.accounts.is_known:
            return
        owner = self.accounts.tenant(account)
        if owner != tenant:
            self.breach("account-of-other-tenant", place,
                        f"account {account} belongs to {owner or 'no tenant'}, the payment to {tenant}")

    def check_approval(self, plan, attempt, place):
        approval = plan.approval
        if approval is None or approval["position"] > attempt["position"]:
            self.breach("item-without-approval", place, f"item {attempt['data']['item']} of {plan.stream}")
            return
        at = ("position", approval["position"])
        self.check_persons(plan, approval, at)
        named = approval["data"].get("proposal") or approval["data"].get("plan")
        if named and named != plan.stream[len("replay/"):]:
            self.breach("approval-of-other-version", at, f"it names the proposal {named}")
        elif not plan.planning or not plan.last_items or approval["version"] < plan.last_items["version"]:
            self.breach("approval-of-other-version", at, f"it precedes items of {plan.stream}")
        state = plan.state_before(attempt["position"])
        if state != "running":
            self.breach("charge-outside-of-run", place, f"{plan.stream} was {state} at the attempt")
        elif attempt["recordedAt"] >= plan.planning["data"]["expiresAt"]:
            self.breach("charge-outside-of-run", place, f"{plan.stream} had expired at the attempt")

    def check_persons(self, plan, approval, at):
        approver = person(approval["data"]["approver"].get("holder"))
        planner = person(plan.planning["data"]["planner"].get("holder")) if plan.planning else None
        if approver is None:
            self.breach("approval-not-independent", at, "the approver is unknown or root")
        elif approval["data"].get("byPolicy") is not True and (planner is None or planner == approver):
            self.breach("approval-not-independent", at, "the approver is the planner, or the planner is unknown")

    # Charges

    def explain(self, charge, names):
        call = self.log.call(charge.reference)
        owned = (self.accounts.tenant(charge.account) or "") if self.accounts.is_known else ""
        found = {"charge": charge, "tenant": owned, "origin": "terminal or app", "payment": None, "place": None}
        self.explained.append(found)
        if call is None:
            payment = names.get(charge.reference)
            if charge.moves and (payment or OWN_FORM.fullmatch(charge.reference)):
                found["origin"] = "nothing"
                self.breach("charge-without-call", ("books line", charge.line),
                            f"{charge.kind} {charge.reference}, a reference of Daybook's, is in no call of the log")
            found["payment"] = payment or self.log.payment(owned, charge)
            return
        found.update(origin="Daybook", payment=(call["tenant"], call["stream"]), tenant=call["tenant"],
                     place=("position", call["position"]), call=call)
        plan, attempt = self.attempt(call)
        if attempt:
            found.update(plan=plan.stream, item=attempt["data"]["item"], attempt=attempt["position"],
                         approval=plan.approval["position"] if plan.approval else None)
        elif self.is_automatic(call):
            found["origin"] = "an automatic reversal of Daybook"
        self.check_charge(charge, call)

    def changes(self, found):
        """The positions of the calls that captured, adjusted or voided the charge."""
        return [call["position"] for call in self.log.calls
                if found["charge"].is_charge and (call["tenant"], call["stream"]) == found["payment"]
                and call["data"]["operation"] in CHANGES]

    def check_charge(self, charge, call):
        data, place = call["data"], ("position", call["position"])
        if charge.account != data.get("account"):
            self.breach("account-of-other-tenant", place, f"it was sent for another account than {charge.account}")
        else:
            self.check_account(call["tenant"], charge.account, place)
        money, tip = data.get("amount") or {}, (data.get("tip") or {}).get("value", 0)
        agreed = (money.get("value"), money.get("value", 0) + tip)
        if money and (charge.currency != money["currency"] or charge.requested not in agreed):
            self.breach("amount-differs", place,
                        f"{charge.requested} {charge.currency} in the books, {shown(money)} was sent")
        elif charge.approved > charge.requested:
            self.breach("amount-differs", place, f"{charge.approved} approved, {charge.requested} requested")
        begin, end = moment(data["at"]) - CLOCKS_DIFFER, moment(data.get("overBy") or data["at"]) + CLOCKS_DIFFER
        if moment(charge.at) < begin and self.is_found_again(charge, call):
            return
        if not begin <= moment(charge.at) <= end:
            self.breach("charge-outside-of-run", place, f"the charge was made at {charge.at}, outside of its call")

    def is_found_again(self, charge, call):
        """After a loss that an operator adopted, a lost call is found at the gateway and recorded again."""
        return any(epoch["position"] < call["position"] and charge.at < epoch["recordedAt"] for epoch in self.log.epochs)

    def check_repeats(self):
        """One payment is charged once, also under several invoices; one item gives back once."""
        groups = {}
        for found in self.explained:
            charge = found["charge"]
            if charge.moves and found["payment"] and found["origin"] != "nothing":
                item = None if charge.is_charge else (found.get("plan"), found.get("item") or charge.id)
                groups.setdefault((found["payment"], item), []).append(found)
        for (payment, _), same in groups.items():
            if len(same) > 1:
                last = max(same, key=lambda found: (found["charge"].at, found["charge"].line))
                place = last["place"] or ("books line", last["charge"].line)
                ids = ", ".join(found["charge"].id for found in same)
                self.breach("double-charge", place, f"{payment[1]} has {len(same)} charges: {ids}")

    def totals(self):
        """Net amounts in minor units by tenant, account and currency: books, log."""
        sums, seen = {}, {}
        for found in self.explained:
            charge = found["charge"]
            key = (found["tenant"], charge.account, charge.currency)
            sums.setdefault(key, [0, 0])[0] += charge.net
            if found["payment"]:
                seen.setdefault(found["payment"], charge.account)
        for key in self.log.streams:
            account = seen.get(key) or self.account_of(key)
            for currency, amount in self.net(key).items():
                sums.setdefault((key[0], account, currency), [0, 0])[1] += amount
        return sums

    def account_of(self, key):
        accounts = [event["data"]["account"] for event in self.log.streams[key]
                    if event["type"] == "GatewayCallSent" and event["data"].get("account")]
        return accounts[-1] if accounts else "unknown"

    def net(self, key):
        """What the log says of a payment: captures by id and the last tip, less what was given back or voided."""
        captures, tips, back = {}, {}, {}
        for event in self.log.streams[key]:
            data, kind = event["data"], event["type"]
            value, currency = total(data) if isinstance(data, dict) else (None, None)
            if kind == "Captured" and currency:
                captures[data.get("id")] = (value, currency)
                tips[data.get("id")] = (data["amounts"].get("tip") or {}).get("value", 0)
            elif kind == "TipAdjusted" and captures:
                last, tip = list(captures)[-1], data["tip"]["value"]
                captures[last] = (captures[last][0] + tip - tips[last], captures[last][1])
                tips[last] = tip
            elif kind == "CreditApproved" and currency:
                back["credit"] = (value, currency)
            elif kind in RETURNS and data.get("amount"):
                sign = -1 if kind == "RefundVoided" else 1
                back[kind, data["id"]] = (sign * data["amount"]["value"], data["amount"]["currency"])
            elif kind == "RefundVoided":
                back.pop(("Refunded", data["id"]), None)
            elif kind in RETURNS:
                captures, back = {}, {}
        sums = {}
        for sign, parts in ((1, captures), (-1, back)):
            for value, currency in parts.values():
                sums[currency] = sums.get(currency, 0) + sign * value
        return {currency: value for currency, value in sums.items() if value}

def shown(money):
    return f"{money['value']} {money['currency']}"
