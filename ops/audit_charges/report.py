"""Prints what was found, as text or JSON. Nothing of a card is in it."""
import json

def rows(audit):
    for found in audit.explained:
        charge = found["charge"]
        call = found.get("call")
        yield {"gateway": charge.gateway, "id": charge.id, "kind": charge.kind, "state": charge.state,
               "line": charge.line, "tenant": found["tenant"] or None, "account": charge.account,
               "currency": charge.currency, "requested": charge.requested, "net": charge.net,
               "origin": found["origin"], "payment": found["payment"][1] if found["payment"] else None,
               "call": call["position"] if call else None, "attempt": found.get("attempt"),
               "item": found.get("item"), "plan": found.get("plan"), "approval": found.get("approval"),
               "changes": audit.changes(found)}

def document(audit):
    breaches = [{"code": code, "place": place[0], "number": place[1], "detail": detail}
                for (place, code), detail in sorted(audit.breaches.items())]
    totals = [{"tenant": key[0] or None, "account": key[1], "currency": key[2], "books": books, "log": log,
               "difference": books - log} for key, (books, log) in sorted(audit.totals().items())]
    return {"charges": list(rows(audit)), "totals": totals, "breaches": breaches}

def text(found):
    lines = []
    for row in found["charges"]:
        line = f"{row['gateway']} {row['id']}: {row['kind']} {row['requested']} {row['currency']}, {row['state']}: "
        if row["call"] is None:
            line += f"from {row['origin']}"
        elif row["plan"] is None:
            line += f"from {row['origin']}, call {row['call']}"
        else:
            line += (f"from call {row['call']}, attempt {row['attempt']}, item {row['item']} of {row['plan']}, "
                     f"approval {row['approval']}")
        if row["changes"]:
            line += ", changed by call " + ", ".join(map(str, row["changes"]))
        lines.append(line)
    for row in found["totals"]:
        lines.append(f"total {row['tenant'] or 'unknown tenant'} {row['account']} {row['currency']}: "
                     f"books {row['books']}, log {row['log']}, difference {row['difference']}")
    for row in found["breaches"]:
        lines.append(f"{row['place']} {row['number']}: {row['code']}: {row['detail']}")
    count = len(found["breaches"])
    lines.append(f"{len(found['charges'])} charges: " + (f"{count} breaches" if count else "nothing is wrong"))
    return "\n".join(lines)

def show(audit, as_json):
    found = document(audit)
    print(json.dumps(found, indent=2, ensure_ascii=False) if as_json else text(found))
    return 2 if found["breaches"] else 0
