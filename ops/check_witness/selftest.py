"""Checks correct witnesses, which must pass, and witnesses with a breach, which must not."""
import hashlib

from . import Unusable, ed25519
from .breaches import BREACHES
from .checks import run as run_checks
from .notes import COSIGNATURE, Key, Signer, checkpoint, read_key
from .session import Session
from .tree import EMPTY_ROOT, Tree
from .wire import Wire
from .witness import Server, Witness

class Draft(Witness):
    """What the drafts after tlog-witness 1.0.0 require."""
    other_root_status, checks_every_signature = 422, True

class WithoutEpochs(Witness):
    knows_epochs = False

SOUND = [(Witness, True), (Draft, True), (WithoutEpochs, False)]

def check(kind, with_epochs):
    log = Signer("self-test.example/log", bytes(range(32)))
    signer = Signer("self-test.example/witness", bytes(range(32, 64)), COSIGNATURE)
    with Server(kind(log.key, signer)) as server:
        session = Session(Wire(server.url), log, read_key(str(signer.key), COSIGNATURE))
        run_checks(session, with_epochs)
    return session.results

def known_answers():
    """Published values, so that the checks and their witness cannot share a fault."""
    seed = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    signature = bytes.fromhex("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555"
                              "fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b")
    public = ed25519.public_key(seed)
    yield "RFC 8032, key of test 1", public.hex().startswith("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325")
    yield "RFC 8032, signature of test 1", ed25519.sign(seed, b"") == signature
    yield "RFC 8032, verification", ed25519.verify(public, b"", signature)
    yield "another message", not ed25519.verify(public, b"x", signature)
    yield "a scalar above the order", not ed25519.verify(public, b"", signature[:32] + b"\xff" * 32)
    log = Signer("daybook.example/log", bytes(range(32)))
    yield "docs/log-format.md, key", str(log.key) == ("daybook.example/log+2538d7a3+"
                                                      "AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4")
    root = bytes.fromhex("adcb7639364bf16b5a5ba755ea771a3b51457f9b87ddf5a40e6a8b020e4bc57d")
    line = log.line(checkpoint("daybook.example/log", 3, root)).decode()
    yield "docs/log-format.md, checkpoint", line.endswith(
        " JTjXoy58GTcva9jGaLeXyuQhoDEOdSnMIuV67RUadVuCzayhxh1EHZOqhbIUDBp4en3YN+lvWnF5Yu06dOxHmodBGgM=\n")
    tree, witness = Tree("known"), Witness(None, None)

    def leaf(index):
        return hashlib.sha256(b"\0" + f"known {index}".encode()).digest()

    def inner(left, right):
        return hashlib.sha256(b"\1" + left + right).digest()

    five = inner(inner(inner(leaf(0), leaf(1)), inner(leaf(2), leaf(3))), leaf(4))
    yield "a tree of five leaves", tree.root(5) == five and tree.root(0) == EMPTY_ROOT
    yield "a proof from 3 to 5", tree.proof(3, 5) == [leaf(2), leaf(3), inner(leaf(0), leaf(1)), leaf(4)]
    sizes = [*range(1, 70), 300, 4096, 2**62, 2**62 + 3]
    roots = {size: tree.root(size) for size in sizes}
    yield "all proofs verify", all(witness.is_consistent(tree.proof(old, size), old, roots[old], size, roots[size])
                                   for old in sizes for size in sizes if old <= size)
    yield "63 hashes", len(tree.proof(67, 2**62)) == 63

def run():
    failed = []
    answers = list(known_answers())
    failed += [f"known answer: {name}" for name, ok in answers if not ok]
    checks = 0
    for kind, with_epochs in SOUND:
        results = check(kind, with_epochs)
        checks = max(checks, len(results))
        names = [result.check for result in results]
        failed += [f"{kind.__name__}: {result}" for result in results if not result.ok]
        failed += [f"two checks are named {name}" for name in set(names) if names.count(name) > 1]
    for name, kind in BREACHES:
        try:
            found = [result.check for result in check(kind, True) if not result.ok]
        except Unusable as error:
            found = [f"unusable: {error}"]
        if name not in found:
            failed.append(f"{kind.__name__}: {name} expected, found {found}")
    print("".join(line + "\n" for line in failed), end="")
    print(f"{len(answers)} known answers, {len(SOUND)} correct witnesses, {checks} checks, {len(BREACHES)} breaches: "
          + (f"{len(failed)} failed" if failed else "all correct witnesses pass, each breach is found"))
    return 1 if failed else 0
