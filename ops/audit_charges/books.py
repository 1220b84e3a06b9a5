"""Reads the gateway's books (docs/simulator.md) and the tenants of the merchant accounts (docs/gateways.md)."""
import json

from . import Unusable
from .log import read_lines

class Charge:
    """The last state of one payment in the books. Nothing of its card is kept."""

    def __init__(self, line, entry):
        self.line = line
        try:
            for name in ("gateway", "id", "kind", "reference", "account", "currency", "state", "at"):
                setattr(self, name, str(entry[name]))
            for name in ("requested", "approved", "captured"):
                setattr(self, name, whole(entry[name]))
            self.partly_voided = whole(entry.get("partlyVoided", 0))
            self.invoice, self.original = entry.get("invoice"), entry.get("original")
        except (KeyError, TypeError):
            raise Unusable(f"the books' line {line} is not a payment") from None

    @property
    def moves(self):
        """True if the card was charged or credited, or if money is held on it."""
        return self.state in ("authorized", "captured")

    @property
    def is_charge(self):
        return self.kind in ("sale", "authorization")

    @property
    def net(self):
        if self.state != "captured":
            return 0
        amount = self.captured - self.partly_voided
        return amount if self.is_charge else -amount

def whole(value):
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(value)
    return value

def read_books(path):
    """Lines with another `entry` than `payment` are left out; the last line of an id counts."""
    charges = {}
    for number, _, entry in read_lines(path):
        if isinstance(entry, dict) and entry.get("entry", "payment") == "payment":
            charge = Charge(number, entry)
            charges[charge.gateway, charge.id] = charge
    return list(charges.values())

class Accounts:
    """Which tenant a merchant account belongs to, from a configuration file."""

    def __init__(self, path):
        self.tenants, self.reversals, self.is_known = {}, set(), path is not None
        if path is None:
            return
        try:
            with open(path, encoding="utf-8") as file:
                gateways = json.load(file)["daybook"]["gateway"]
            for name, gateway in gateways.items():
                self.add(name, gateway)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Unusable(f"{path} has no gateways with tenants and accounts") from None

    def add(self, name, gateway):
        accounts = gateway.get("accounts") or gateway.get("tpn") or gateway.get("merchant", {}).get("account") or ""
        for account in str(accounts).split(","):
            self.tenants[account.strip()] = gateway["tenant"]
        if gateway.get("reversals") == "on":
            self.reversals.add(name)

    def tenant(self, account):
        return self.tenants.get(account)
