"""Cases of the self-test: which description holds for the last sale of a log, by the links of names up to it."""
from .merchants import Merchants
from .samples import Log, request, sold

AUCKLAND, TOKYO = ("Pacific/Auckland", "00:00"), ("Asia/Tokyo", "04:00")


def sale(merchant=None, processor=None, account=None, terminal=None, vendor="bridgepay"):
    """The events of a sale that names these."""
    document = {"vendor": vendor, "merchant": merchant, "terminal": terminal}
    references = {"merchant": processor, "gatewayAccount": account}
    return (("DocumentReceived", known(document)), request(references=known(references)), sold())


def known(members):
    return {key: value for key, value in members.items() if value is not None}


def described(merchant, description=AUCKLAND):
    zone, cutoff = description
    return "MerchantDescribed", {"merchant": merchant, "zone": zone, "cutoff": cutoff, "reason": "opened"}


def registered(name, account, vendor="bridgepay"):
    names = {"name": name, "account": account}
    return "ReaderIdentified", {"reader": {"vendor": vendor, "serial": name}, "names": names}


def log(*parts):
    """Sales of a payment each, descriptions and registrations, in their order."""
    result = Log()
    for number, part in enumerate(parts):
        if part[0] == "MerchantDescribed":
            result.add("tenant/acme", part)
        elif part[0] == "ReaderIdentified":
            result.add(f"reader/bridgepay/{number}", part)
        else:
            result.add(f"transaction/{number}", *part)
    return result


def cases():
    """A name, the parts of a log that ends with a sale, and the description that holds for that."""
    shop = described("shop")
    linked, by_account = sale("shop", account="a"), sale(account="a")
    yield "a name that nothing describes", (linked, by_account), None
    yield "the described name", (shop, sale("shop")), AUCKLAND
    yield "another name", (linked, shop, by_account), AUCKLAND
    yield "described before the names are linked", (shop, linked, by_account), AUCKLAND
    yield "linked later", (shop, by_account), None
    yield "over the merchant at the processor", (
        sale(processor="p", account="a"), sale("shop", processor="p"), shop, by_account), AUCKLAND
    yield "a worse name is described", (linked, described("a", TOKYO), sale("shop")), TOKYO
    yield "the newest description of any name", (linked, shop, described("a", TOKYO), sale("shop")), TOKYO
    yield "and not the last name's", (linked, described("a", TOKYO), shop, by_account), AUCKLAND
    yield "described again", (linked, shop, described("a"), described("shop", TOKYO), by_account), TOKYO
    both = shop, described("other", TOKYO)
    yield "an account of two shops", (linked, sale("other", account="a"), *both, by_account), None
    yield "described under its own name", (
        linked, sale("other", account="a"), shop, described("a", TOKYO), by_account), TOKYO
    yield "one owner of the best role", (
        sale(processor="p", account="a"), sale(processor="q", account="a"), linked, shop, by_account), AUCKLAND
    yield "an ambiguous owner", (
        sale("shop", processor="p"), sale("other", processor="p"), sale(processor="p", account="a"), shop,
        by_account), None
    yield "the account of another vendor", (
        linked, sale("other", account="a", vendor="paydiant"), shop, sale(account="a", vendor="paydiant")), None
    yield "the account repeated as the merchant", (
        sale(processor="a", account="a"), linked, shop, by_account), AUCKLAND
    yield "the first merchant at the processor", (
        sale("shop", processor="p"), shop,
        (request(references={"merchant": "p"}), sold(references={"merchant": "q"}))), AUCKLAND
    at_terminal = sale("shop", terminal="t")
    yield "the terminal alone", (at_terminal, shop, sale(terminal="t")), AUCKLAND
    yield "a terminal of two shops", (at_terminal, sale("other", terminal="t"), *both, sale(terminal="t")), None
    yield "a terminal of another vendor", (at_terminal, shop, sale(terminal="t", vendor="handpoint")), None
    yield "no terminal and no name", (at_terminal, shop, sale()), None
    yield "the terminal of an account", (sale(account="a", terminal="t"), linked, shop, sale(terminal="t")), AUCKLAND
    yield "a sender before accounts", (
        at_terminal, sale(account="a", terminal="t"), sale(account="b", terminal="t"), shop,
        sale(terminal="t")), AUCKLAND
    registration = registered("t", "batches")
    yield "the account of batches is no merchant", (
        registration, described("batches"), sale(terminal="t")), None
    yield "unless payments name it", (
        registration, described("batches"), sale(account="batches"), sale(terminal="t")), AUCKLAND
    first, captured = request(), sold(references={"merchant": "p", "gatewayAccount": "a"})
    yield "named by the event itself", (described("a"), (first, captured)), AUCKLAND
    yield "before the vendor is known", (shop, (*linked[1:], linked[0]), by_account), AUCKLAND


def run(test):
    for name, parts, expected in cases():
        merchants, last = Merchants(), str(len(parts) - 1)
        for event in log(*parts).events:
            merchants.note(event)
        names = merchants.payments[last].names()
        found = merchants.description(last, names[0].text if names else None)
        test.expect(f"merchants: {name}", found == expected, f"{found}, expected {expected}")
