"""The names of accounts and parts, and the decimals of currencies, as docs/journal.md describes them."""
import hashlib

ROOTS = {
    "Assets": ("processor-receivable", "cash-in-transit", "bank", "undeposited-cash", "cash-back", "cash-machine",
               "reserve", "dispute-receivable"),
    "Liabilities": ("tips-payable", "tax-payable", "gift-liability"),
    "Equity": ("currency-clearing", "suspense"),
    "Income": ("sales", "surcharge"),
    "Expenses": ("refunds", "fees", "dispute-loss", "write-off", "rounding"),
}
ROOT_OF = {account: root for root, accounts in ROOTS.items() for account in accounts}

LOWER = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
LETTERS = LOWER | frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")

# Currencies whose minor unit is not a hundredth (ISO 4217). Those without one count whole units.
DECIMALS = {
    **dict.fromkeys("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split(), 0),
    **dict.fromkeys("XAU XAG XPT XPD XDR XSU XUA XBA XBB XBC XBD XTS XXX".split(), 0),
    **dict.fromkeys("BHD IQD JOD KWD LYD OMR TND".split(), 3),
    **dict.fromkeys("CLF UYW".split(), 4),
}


def capital(text):
    return text[:1].upper() + text[1:]


def component(part):
    """A part of an account as a component of its name."""
    if part[:1] in LOWER and len(part) <= 60 and "--" not in part and all(c in LOWER or c == "-" for c in part):
        return capital(part)
    readable = ""
    for byte in part.encode():
        if len(readable) == 40:
            break
        if chr(byte) in LETTERS:
            readable += chr(byte)
        elif readable and not readable.endswith("-"):
            readable += "-"
    return capital(readable.rstrip("-") or "x") + "--" + hashlib.sha256(part.encode()).hexdigest()[:16]


def full_name(account, part):
    name = ROOT_OF[account] + ":" + "-".join(capital(word) for word in account.split("-"))
    return f"{name}:{component(part)}" if part else name
