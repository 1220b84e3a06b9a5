"""Prints the trial balances and what was found."""
import json
import sys


def items(balances):
    """The balances as JSON documents, sorted by account, part and currency."""
    result = []
    for (account, part, currency), amount in sorted(balances.items()):
        item = {"account": account}
        if part:
            item["part"] = part
        item["currency"] = currency
        item["debit" if amount > 0 else "credit"] = abs(amount)
        result.append(item)
    return result


def as_json(journal):
    """One document: that of the only tenant, else those of all by their names."""
    documents = {name: {"items": items(tenant.balances)} for name, tenant in sorted(journal.tenants.items())}
    if len(documents) == 1:
        return next(iter(documents.values()))
    return {"tenants": documents}


def as_text(journal):
    lines = []
    for name, tenant in sorted(journal.tenants.items()):
        lines.append(f"{name}: {tenant.entries} entries")
        rows = [(f"{account}/{part}" if part else account, currency, amount)
                for (account, part, currency), amount in sorted(tenant.balances.items())]
        width = max((len(row[0]) for row in rows), default=0)
        for account, currency, amount in rows:
            debit, credit = (str(amount), "") if amount > 0 else ("", str(-amount))
            lines.append(f"  {account:{width}}  {currency}  {debit:>14}  {credit:>14}".rstrip())
    return lines


def show(journal, breaches, is_json):
    """Prints everything; the exit code is 1 if something is wrong. With JSON, findings go to standard error."""
    if is_json:
        print(json.dumps(as_json(journal), indent=2, ensure_ascii=False))
    else:
        print("\n".join(as_text(journal)))
    target = sys.stderr if is_json else sys.stdout
    for breach in breaches:
        print(breach, file=target)
    entries = sum(tenant.entries for tenant in journal.tenants.values())
    print(f"{journal.events} events, {entries} entries: "
          + (f"{len(breaches)} findings" if breaches else "nothing is wrong"), file=target)
    return 1 if breaches else 0
