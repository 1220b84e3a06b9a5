"""Reads an exported log (docs/log-format.md) and keeps what is needed to explain charges."""
import base64
import hashlib
import json
import unicodedata

from . import Unusable

# Operations of `GatewayCallSent` that can move money; the others only query.
MONEY = {"sale", "authorization", "capture", "tip-adjustment", "void", "refund", "reversal", "giftActivation",
         "giftLoad", "giftDeactivation"}
DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"

def no_fraction(text):
    """Numbers with a fraction are kept as text: no floating point near money."""
    return text

def read_lines(path):
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                yield number, line.rstrip(b"\n"), json.loads(line, parse_float=no_fraction)
            except (ValueError, RecursionError):
                raise Unusable(f"{path}: line {number} is not JSON") from None

def short_reference(reference):
    """The name of a call at gateways with short references: SHA-256 in base 32, five bits a character."""
    bits = "".join(f"{byte:08b}" for byte in hashlib.sha256(reference.encode()).digest())
    return "".join(DIGITS[int(bits[at:at + 5], 2)] for at in range(0, 255, 5))

def derived_reference(tenant, transaction, operation, number):
    """The reference of an attempt of a plan's item (docs/replay.md), a UUID of version 8."""
    digest = hashlib.sha256(f"attempt:{tenant}:{transaction}:{operation}:{number}".encode()).digest()[:16]
    value = int.from_bytes(digest, "big")
    value = value & ~(0xF << 76) | 8 << 76
    value = value & ~(0x3 << 62) | 2 << 62
    text = f"{value:032x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))

# Characters of other categories than format and control that are not shown either (Unicode: Default_Ignorable_Code_Point).
UNSEEN = {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x3164, 0xFFA0,
          *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}

def is_visible(character):
    return ord(character) not in UNSEEN and unicodedata.category(character) not in (
        "Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")

def person(holder):
    """The holder in the form in which two are compared; None if unknown: a text with a character that is not shown may
    look like another one."""
    if not isinstance(holder, str) or not all(map(is_visible, holder.strip())):
        return None
    composed = unicodedata.normalize("NFC", unicodedata.normalize("NFC", holder.strip()).casefold())
    return None if composed in ("", "root") else composed

def total(data):
    money = (data.get("amounts") or {}).get("total") or data.get("amount") or {}
    return money.get("value"), money.get("currency")

class Plan:
    """The events of one stream `replay/<uuid>`, in order."""

    def __init__(self, tenant, stream):
        self.tenant, self.stream = tenant, stream
        self.events, self.items, self.attempts = [], {}, []
        self.planning = self.last_items = self.approval = None

    def add(self, event):
        self.events.append(event)
        kind, data = event["type"], event["data"]
        if kind == "ReplayPlanned":
            self.planning = event
        elif kind == "ReplayItemsPlanned":
            self.last_items = event
            for item in data["items"]:
                self.items[item["number"]] = item
        elif kind == "ReplayApproved" and self.approval is None:
            self.approval = event
        elif kind == "ReplayItemAttempted":
            self.attempts.append(event)

    def state_before(self, position):
        state = "planned"
        ends = {"ReplayApproved": "approved", "ReplayStarted": "running", "ReplayResumed": "running",
                "ReplayPaused": "paused", "ReplayStopped": "stopped", "ReplayRejected": "rejected",
                "ReplayCompleted": "completed"}
        for event in self.events:
            if event["position"] < position and state not in ("stopped", "rejected", "completed"):
                state = ends.get(event["type"], state)
        return state

class Log:
    def __init__(self, path, sizes=()):
        """Roots are kept for the given sizes only."""
        self.sizes = set(sizes)
        self.plans, self.attempts, self.epochs = {}, {}, []
        # `all_calls` has all calls, `calls` those that can move money.
        self.all_calls, self.calls = [], []
        self.by_reference, self.streams, self.found, self.invoices = {}, {}, {}, {}
        self.leaves, self.tree, self.roots = 0, [], {}
        for number, line, event in read_lines(path):
            if not isinstance(event, dict) or event.get("position") != number:
                raise Unusable(f"{path}: line {number} is not the event at this position; run ops/verify-export")
            self.grow(line)
            try:
                self.add(event)
            except (KeyError, TypeError, AttributeError):
                raise Unusable(f"{path}: the event at position {number} has another shape") from None

    def grow(self, line):
        size, node = 1, hashlib.sha256(b"\x00" + line).digest()
        while self.tree and self.tree[-1][0] == size:
            node = hashlib.sha256(b"\x01" + self.tree.pop()[1] + node).digest()
            size *= 2
        self.tree.append((size, node))
        self.leaves += 1
        if self.leaves in self.sizes:
            self.roots[self.leaves] = list(self.tree)

    def root(self, size):
        """The root of the first events in base64."""
        edge = self.roots.get(size)
        if not edge:
            return base64.b64encode(hashlib.sha256(b"").digest()).decode()
        node = edge[-1][1]
        for _, left in reversed(edge[:-1]):
            node = hashlib.sha256(b"\x01" + left + node).digest()
        return base64.b64encode(node).decode()

    def add(self, event):
        tenant, stream, data = event["tenant"], event["stream"], event["data"]
        kind, key = event["type"], (event["tenant"], event["stream"])
        if stream.startswith("replay/"):
            plan = self.plans.setdefault(key, Plan(tenant, stream))
            plan.add(event)
            if kind == "ReplayItemAttempted":
                self.attempts[tenant, data["reference"]] = (plan, event)
        elif kind == "LogEpochBegun":
            self.epochs.append(event)
        elif stream.startswith("transaction/"):
            self.streams.setdefault(key, []).append(event)
            if kind == "GatewayCallSent":
                self.all_calls.append(event)
            if kind == "GatewayCallSent" and data["operation"] in MONEY:
                self.calls.append(event)
                self.by_reference[data["reference"]] = event
                self.by_reference[short_reference(data["reference"])[:20]] = event
            references = data.get("references") or {}
            if isinstance(references, dict) and references.get("gatewayTransaction"):
                self.found.setdefault((tenant, references["gatewayTransaction"]), key)
            if kind.endswith("Requested") and isinstance(references, dict) and references.get("invoice"):
                self.invoices.setdefault((tenant, references["invoice"], *total(data)), set()).add(key)

    def call(self, reference):
        """The call with this reference, or with the reference that it has at a gateway with short ones."""
        if reference in self.by_reference:
            return self.by_reference[reference]
        if 16 <= len(reference) < 36:
            for call in self.calls:
                if short_reference(call["data"]["reference"]).startswith(reference):
                    return call
        return None

    def payment(self, tenant, charge):
        """The payment of an app's charge: by the gateway's id, or by the only one with its invoice and amount."""
        same = self.invoices.get((tenant, charge.invoice, charge.requested, charge.currency), set())
        return self.found.get((tenant, charge.id)) or (next(iter(same)) if len(same) == 1 else None)

    def derived(self):
        """The payments by the references that attempts at them have, in the log or not."""
        names = {}
        for tenant, stream in self.streams:
            transaction = stream[len("transaction/"):]
            for operation in ("sale", "authorization", "credit", "refund", "capture", "void"):
                for number in range(1, 9):
                    reference = derived_reference(tenant, transaction, operation, number)
                    names[reference] = names[short_reference(reference)[:20]] = (tenant, stream)
        return names
