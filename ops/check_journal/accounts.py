"""The names of the journal's accounts, and which of them holds the money of a tender.

An account is a pair (account, part); a part that is not known is an empty text. Legs are written as a dictionary from
(account, part, currency) to minor units: a debit is above zero, a credit below. Names that an answer of the ledger
spells in another way are changed here and nowhere else.
"""

RECEIVABLE = "processor-receivable"
BANK = "bank"
CASH = "undeposited-cash"
CASH_BACK = "cash-back"
CASH_MACHINE = "cash-machine"
DISPUTE = "dispute-receivable"
LOSS = "dispute-loss"
TIPS = "tips-payable"
TAX = "tax-payable"
GIFT = "gift-liability"
SALES = "sales"
SURCHARGE = "surcharge"
REFUNDS = "refunds"
FEES = "fees"
RESERVE = "reserve"
IN_TRANSIT = "cash-in-transit"
CLEARING = "currency-clearing"
SUSPENSE = "suspense"
WRITE_OFF = "write-off"
ROUNDING = "rounding"

# The accounts that have the money of payments.
HOLDERS = {RECEIVABLE, GIFT, CASH}

# The component of a fee that is known as a whole only.
OTHER_FEES = "other"
# The tenders with which a card buys cash.
CASH_ACCESS = {"cash-access", "withdrawal", "manualcash"}


class Legs(dict):
    """Legs of one entry, or the balances of many."""

    def add(self, account, part, currency, amount):
        """Adds an amount to one leg. A leg of zero is no leg."""
        key = (account, part or "", currency)
        amount += self.get(key, 0)
        if amount:
            self[key] = amount
        else:
            self.pop(key, None)

    def join(self, other, factor=1):
        """Adds all legs of another entry, or with the factor -1 takes them away."""
        for (account, part, currency), amount in other.items():
            self.add(account, part, currency, factor * amount)

    def less(self, other):
        """These legs without the other ones: what an event posts that changes the one into the other."""
        result = Legs(self)
        result.join(other, -1)
        return result

    def sums(self):
        """The sum of each currency that is not zero."""
        result = {}
        for (_, _, currency), amount in self.items():
            result[currency] = result.get(currency, 0) + amount
        return {currency: amount for currency, amount in result.items() if amount}


def holder(tender, vendor):
    """The account and part that have the money of a tender: the liability, the till, else the processor."""
    if tender in ("gift", "loyalty"):
        return GIFT, tender
    if tender in ("cash", "check"):
        return CASH, tender
    return RECEIVABLE, vendor


def revenue(tender, is_dispensed):
    """The account and part that a payment credits with what no one else is owed."""
    return (CASH_MACHINE, "") if is_dispensed or tender in CASH_ACCESS else (SALES, tender)


def returns(tender, is_dispensed=False):
    """The account and part that a refund or credit debits. Cash that a machine took is in the machine."""
    return (CASH_MACHINE, "") if is_dispensed or tender in CASH_ACCESS else (REFUNDS, tender)
