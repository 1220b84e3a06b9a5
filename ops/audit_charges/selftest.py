"""A sound world, recorded by a run of Daybook and its stand-in gateway, and breaches planted in it."""
import base64
import copy
import pathlib
import tempfile

from . import Unusable, samples
from .log import derived_reference
from .recorded import SAMPLE, World
from .witness import decode

def lost_call(world):
    """The call and all that followed from it are not in the log; its reference can be derived."""
    call = world.sale()
    world.events = [event for event in world.events if event["stream"] != call["stream"]
                    or event["position"] < call["position"]]

def unknown_reference(world):
    charge = world.charge()
    world.books.append(dict(charge, id="planted", reference=derived_reference("acme", "lost", "sale", 1),
                            invoice="planted"))

def no_item(world):
    world.sale()["correlation"] = "planted"

def wrong_disposition(world):
    world.first("ReplayItemsPlanned")["data"]["items"][0]["disposition"] = "never"

def no_approval(world):
    world.events.remove(world.first("ReplayApproved"))

def approver(holder):
    def plant(world):
        world.first("ReplayApproved")["data"]["approver"]["holder"] = holder
    return plant

def by_unknown(world):
    del world.first("ReplayApproved")["data"]["approver"]["holder"]

def planner_unknown(world):
    del world.first("ReplayPlanned")["data"]["planner"]["holder"]

def composed(world):
    world.first("ReplayPlanned")["data"]["planner"]["holder"] = "Andr\u00e9"
    world.first("ReplayApproved")["data"]["approver"]["holder"] = "ANDRE\u0301 "

def early_approval(world):
    world.move(world.first("ReplayApproved"), world.first("ReplayItemsPlanned"))

def other_proposal(world):
    world.first("ReplayApproved")["data"]["proposal"] = "01a213a8-0000-7000-8000-000000000000"

def charged_twice(world):
    """The app's own sale had arrived: other reference, other invoice, the payment's amount."""
    world.books.append(dict(world.charge(), id="planted", reference="app-8", invoice="8"))

def same_call_twice(world):
    world.books.append(dict(world.charge(), id="planted", invoice="planted"))

def other_amount(world):
    for name in ("requested", "approved", "captured"):
        world.charge()[name] += 1

def other_currency(world):
    world.charge()["currency"] = "EUR"

def other_item_amount(world):
    world.first("ReplayItemsPlanned")["data"]["items"][0]["amount"]["value"] -= 1

def other_tenant(world):
    world.charge()["account"] = world.sale()["data"]["account"] = "320009"

def find_at_other_tenant(world):
    world.first("GatewayCallSent", operation="find", vendor="bridgepay")["data"]["account"] = "320009"

def lost_end(world):
    """The witness is ahead of the log."""
    world.events = world.events[:-1]
    world.with_witness = True

def other_events(world):
    """The log has another event than the one that was witnessed."""
    world.events[-1]["correlation"] = "planted"
    world.with_witness = True

def adopted(world):
    """An operator adopted the log after the loss: nothing is wrong."""
    lost_end(world)
    size, root = (SAMPLE / "witness").read_text("utf-8").strip().split("\n\n")[-2].split("\n")[1:3]
    world.events.append(dict(copy.deepcopy(world.events[-1]), tenant="_log", stream="log", type="LogEpochBegun",
                             data={"epoch": 1, "reason": "restored", "lost": {"size": int(size), "root": root}}))

def found_again(world):
    """A call was lost, the log adopted, and the call found at the gateway and recorded again."""
    world.events.insert(0, dict(copy.deepcopy(world.events[0]), tenant="_log", stream="log", type="LogEpochBegun",
                                data={"epoch": 1, "reason": "restored"}))
    world.charge()["at"] = "2026-11-24T00:00:00.000000Z"

def another_person(world):
    """Different names are two persons."""
    world.first("ReplayApproved")["data"]["approver"]["holder"] = "Anne"

def step(kind):
    def plant(world):
        world.insert(kind, world.first("ReplayItemAttempted"))
    return plant

def expired(world):
    world.first("ReplayPlanned")["data"]["expiresAt"] = world.first("ReplayStarted")["recordedAt"]

def not_started(world):
    world.events.remove(world.first("ReplayStarted"))

def charged_later(world):
    world.charge()["at"] = "2026-12-24T00:00:00.000000Z"

PLANTS = [
    (None, adopted), (None, another_person), (None, found_again),
    ("charge-without-call", lost_call), ("charge-without-call", unknown_reference),
    ("call-without-item", no_item), ("call-without-item", wrong_disposition),
    ("item-without-approval", no_approval),
    ("approval-not-independent", approver("ann")), ("approval-not-independent", approver(" ANN\u00a0")),
    ("approval-not-independent", composed), ("approval-not-independent", by_unknown),
    ("approval-not-independent", planner_unknown), ("approval-not-independent", approver("Root")),
    ("approval-not-independent", approver("Anne\u200b")), ("approval-not-independent", approver("ro\u200bot")),
    ("approval-not-independent", approver("Anne\u3164")), ("approval-not-independent", approver("\u2028Anne\x00")),
    ("approval-of-other-version", early_approval), ("approval-of-other-version", other_proposal),
    ("double-charge", charged_twice), ("double-charge", same_call_twice),
    ("amount-differs", other_amount), ("amount-differs", other_currency), ("amount-differs", other_item_amount),
    ("account-of-other-tenant", other_tenant), ("account-of-other-tenant", find_at_other_tenant),
    ("events-lost", lost_end), ("events-lost", other_events),
    ("charge-outside-of-run", step("ReplayStopped")), ("charge-outside-of-run", step("ReplayRejected")),
    ("charge-outside-of-run", step("ReplayPaused")), ("charge-outside-of-run", expired),
    ("charge-outside-of-run", not_started), ("charge-outside-of-run", charged_later),
]

def differs(found):
    return any(books != log for books, log in found.totals().values())

def check_sample(audit, world, directory):
    world.write(directory)
    (directory / "gateways.json").write_text(world.configuration(), "utf-8")
    return audit(str(directory / "log.ndjson"), str(directory / "books.ndjson"), str(directory / "gateways.json"))

def check_signatures(audit):
    """The sample's witness file is signed by the sample's key, and by no other."""
    files = [str(SAMPLE / name) for name in ("log.ndjson", "books.ndjson", "gateways.json", "witness")]
    key = (SAMPLE / "log.key").read_text("utf-8").strip()
    sound = audit(*files, key)
    yield None, None, {code for _, code in sound.breaches}
    with tempfile.TemporaryDirectory() as name:
        forged = pathlib.Path(name) / "witness"
        lines = (SAMPLE / "witness").read_text("utf-8").split("\n")
        at = next(number for number, line in enumerate(lines) if line.startswith("\u2014 "))
        blob = bytearray(decode(lines[at].split(" ")[2]))
        blob[40] ^= 1
        lines[at] = " ".join(lines[at].split(" ")[:2] + [base64.b64encode(blob).decode()])
        forged.write_text("\n".join(lines), "utf-8")
        try:
            audit(*files[:3], str(forged), key)
            found = set()
        except Unusable:
            found = {"signature"}
        yield "signature", check_signatures, found

def run(audit):
    failed, config, witness = 0, str(SAMPLE / "gateways.json"), str(SAMPLE / "witness")
    sound = audit(str(SAMPLE / "log.ndjson"), str(SAMPLE / "books.ndjson"), config, witness)
    cases = [("sound", None, {code for _, code in sound.breaches})]
    cases.append(("sound", None, {"difference"} if differs(sound) else set()))
    cases += check_signatures(audit)
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        for code, plant in PLANTS:
            world = World()
            plant(world)
            world.write(directory)
            found = audit(str(directory / "log.ndjson"), str(directory / "books.ndjson"), config,
                          witness if world.with_witness else None)
            cases.append((code, plant, {code for _, code in found.breaches}))
        for code, plant, world in samples.cases():
            found = check_sample(audit, world, directory)
            codes = {code for _, code in found.breaches}
            if plant is None and differs(found):
                codes.add("difference")
            cases.append((code, plant, codes))
        # The books have no line for a capture, so that one without a call is only a difference.
        world = samples.SampleWorld("capture", "web")
        samples.captured_elsewhere(world)
        found = check_sample(audit, world, directory)
        cases.append(("difference", samples.captured_elsewhere,
                      {code for _, code in found.breaches} | ({"difference"} if differs(found) else set())))
    for number, (code, plant, codes) in enumerate(cases, 1):
        if codes != ({code} if plant and code else set()):
            failed += 1
            print(f"case {number}, {plant.__name__ if plant else 'sound'}: {code} expected, found {sorted(codes)}")
    print(f"{len(cases)} cases: " + (f"{failed} failed" if failed else "each has exactly its code"))
    return 2 if failed else 0
