"""Which descriptions of merchants hold for payments: by the links of names up to an event (docs/journal.md, Days)."""
import dataclasses

# The roles of a merchant's names, the best first: the app's name, the one at the processor, the account at a vendor.
ROLES = ("sender", "processor", "account")
# References of these events are about something else than the payment.
UNNAMING = {"FollowUpRefused", "AuthorizationIncremented", "CardTokenKept"}


@dataclasses.dataclass(frozen=True)
class Name:
    """A name in a role. Names of accounts and terminals are those of one vendor, None if it is not known."""
    text: str
    role: str
    vendor: str = None

    @classmethod
    def of(cls, text, role, vendor):
        return cls(text, role, vendor if role in ("account", "terminal") else None)


class Naming:
    """What a payment has named of its merchant: of each kind the first name."""

    def __init__(self):
        self.sender = self.account = self.at_processor = None
        self.document_terminal = self.terminal_reference = None
        self.vendors = {}

    @property
    def vendor(self):
        """That of the documents and calls, else of a batch, else of the card reader."""
        return next((self.vendors[source] for source in ("report", "batch", "reader") if source in self.vendors), None)

    @property
    def terminal(self):
        return self.document_terminal or self.terminal_reference

    def read(self, kind, data):
        if kind == "DocumentReceived":
            self.sender = self.sender or data.get("merchant")
            self.document_terminal = self.document_terminal or data.get("terminal")
        if kind == "DocumentReceived" or kind.startswith("GatewayCall"):
            self.name_vendor("report", data)
        self.name_vendor("batch", data.get("batch"))
        self.name_vendor("reader", data.get("reader"))
        references = data.get("references")
        if isinstance(references, dict) and kind not in UNNAMING and not kind.startswith("GatewayCall"):
            self.account = self.account or references.get("gatewayAccount")
            # Some documents repeat the account as the merchant, until another one names it.
            if self.at_processor in (None, self.account):
                self.at_processor = references.get("merchant") or self.at_processor
            self.terminal_reference = self.terminal_reference or references.get("terminal")

    def name_vendor(self, source, data):
        if isinstance(data, dict) and data.get("vendor"):
            self.vendors.setdefault(source, data["vendor"].lower())

    def names(self):
        """The names of the merchant, the best first."""
        is_repeated = self.at_processor in (self.sender, self.account)
        texts = self.sender, None if is_repeated else self.at_processor, self.account
        return [Name.of(text, role, self.vendor) for text, role in zip(texts, ROLES) if text is not None]

    def pairs(self):
        """The pairs of a name and a better one that the payment names together; a name alone is a pair with itself."""
        names = self.names()
        pairs = {(name, owner) for place, owner in enumerate(names) for name in names[place:]}
        for text in (self.document_terminal, self.terminal_reference):
            if text is not None:
                # The account has the batches of the terminal.
                owners = names[:1] + [name for name in names if name.role == "account"]
                pairs |= {(Name.of(text, "terminal", self.vendor), owner) for owner in owners}
        return pairs


class Merchants:
    """The linked names and the descriptions of one tenant, up to the newest event."""

    def __init__(self):
        self.payments = {}
        # Names by their texts, and their owners.
        self.names, self.owners = {}, {}
        # Zone and cut-off by the name that they were described for, the newest last.
        self.descriptions = {}
        self.found = {}

    def note(self, event):
        """What an event says about names. Its own entry is dated by it, too."""
        kind, data = event["type"], event["data"]
        subject, _, rest = event["stream"].partition("/")
        if subject == "transaction":
            naming = self.payments.setdefault(rest, Naming())
            naming.read(kind, data)
            self.link(naming.pairs())
        elif subject == "reader":
            self.link(registration(data))
        elif kind == "MerchantDescribed":
            self.descriptions.pop(data["merchant"], None)
            self.descriptions[data["merchant"]] = data["zone"], data["cutoff"]
            self.found = {}

    def link(self, pairs):
        for name, owner in pairs:
            known = self.owners.get(name, ())
            is_new_name = name == owner and name not in self.names.get(name.text, ())
            if is_new_name:
                self.names.setdefault(name.text, set()).add(name)
            if name != owner and owner not in known:
                self.owners.setdefault(name, set()).add(owner)
            elif not is_new_name:
                continue
            self.found = {}

    def description(self, payment, merchant):
        """Zone and cut-off for an entry of a payment with this merchant, or none; None if nothing describes it."""
        naming = self.payments[payment]
        if merchant is None:
            merchant = self.of_terminal(Name.of(naming.terminal, "terminal", naming.vendor))
        if merchant is None or not self.descriptions:
            return None
        if merchant not in self.found:
            best = self.best(merchant)
            held = [value for name, value in self.descriptions.items() if self.best(name) == best]
            self.found[merchant] = held[-1] if held else None
        return self.found[merchant]

    def best(self, text):
        """The best name of a merchant. A name that leads to several stays itself."""
        names = self.names.get(text, set())
        # What was an account at an unknown vendor is the account at the vendor that is known.
        if any(name.vendor for name in names):
            names = {name for name in names if name.role != "account" or name.vendor}
        ends = {self.end(name) for name in names}
        end = ends.pop() if len(ends) == 1 else None
        return text if end is None else end

    def end(self, name):
        """Where the owners of a name lead, None if anywhere are two."""
        while True:
            owners = foremost(self.owners.get(name, ()))
            if not owners:
                return name.text
            if len(owners) > 1:
                return None
            name = owners[0]

    def of_terminal(self, terminal):
        """The only merchant of a terminal. An account counts if payments name it; others are of batches."""
        owners = foremost([owner for owner in self.owners.get(terminal, ())
                           if owner.role != "account" or owner in self.names.get(owner.text, ())])
        return owners[0].text if len(owners) == 1 else None


def foremost(names):
    """Those in the best role."""
    best = min((ROLES.index(name.role) for name in names), default=None)
    return [name for name in names if ROLES.index(name.role) == best]


def registration(data):
    """The names of a terminal, which belong to the account of its batches."""
    names, reader = data.get("names") or {}, data.get("reader") or {}
    account, vendor = names.get("account"), (reader.get("vendor") or "").lower() or None
    if account is None or vendor is None:
        return set()
    texts = {names.get(key) for key in ("serial", "identifier", "name")} - {None, account}
    return {(Name(text, "terminal", vendor), Name(account, "account", vendor)) for text in texts}
