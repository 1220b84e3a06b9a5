"""The checks of sizes, roots and proofs, and the order of all checks."""
from . import epochs, race, requests, signatures
from .session import Stopped

# Both sizes of a step may be a power of two, or neither, or one of them.
STEPS = [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 64, 65, 300]
# From an odd size to this one, a proof has 63 hashes.
LARGE = 2**62
# The same size with another root: 409 in tlog-witness 1.0.0, 422 in the drafts after it.
OTHER_ROOT = {409, 422}

def run(session, with_epochs):
    session.begin()
    parts = [beginning, steps, sizes, roots, proofs, signatures.run, requests.run, race.run, large]
    try:
        for part in parts + [epochs.run] * with_epochs:
            part(session)
    except Stopped as stopped:
        session.record("all-checks-made", "no stop", str(stopped), False)
    session.agreement()

def beginning(session):
    session.conflict("old-size-of-unknown-log", session.submission(6, old=3))
    session.refused("empty-tree-with-proof", {422}, session.submission(0, proof=[bytes(32)]))
    session.accepted("empty-tree", session.submission(0))
    session.accepted("empty-tree-repeated", session.submission(0))
    session.refused("empty-tree-with-other-root", OTHER_ROOT, session.submission(0, root=bytes(32)))
    session.refused("first-with-proof", {422}, session.submission(6, proof=session.tree.proof(3, 6)))
    session.conflict("old-size-of-empty-tree", session.submission(6, old=3))
    session.accepted("first", session.submission(STEPS[0]))

def steps(session):
    for size in STEPS[1:]:
        session.accepted(f"growth-{session.size}-{size}", session.submission(size))
        session.accepted(f"repetition-{size}", session.submission())

def sizes(session):
    """Every old size but the right one is a conflict, whatever else is right."""
    none = -STEPS[-1]
    written = {
        "old-size-behind": (3, -5), "old-size-zero": (0, none), "old-size-zero-of-larger-tree": (3, none),
        "old-size-ahead": (3, 1), "old-size-ahead-by-all": (3, 3), "smaller-tree-repeated": (-5, -5),
        "smaller-tree-growing": (-5, -9), "smaller-tree-from-zero": (-5, none), "empty-tree-again": (none, none),
    }
    for name, (size, old) in written.items():
        session.reach(STEPS[-1])
        session.conflict(name, session.submission(max(session.size + size, 0), old=max(session.size + old, 0)))
    session.reach(STEPS[-1])
    session.conflict("old-size-zero-of-other-tree",
                     session.submission(session.size + 3, old=0, tree=session.tree.fork(0, "other")))
    session.reach(STEPS[-1])
    session.refused("old-size-above-tree", {400}, session.submission(session.size - 5, old=session.size))
    session.reach(STEPS[-1])
    session.refused("old-size-above-both", {400, 409}, session.submission(session.size + 3, old=session.size + 4))

def roots(session):
    session.reach(STEPS[-1])
    size = session.size
    for name, first in (("last-leaf", size - 1), ("first-leaf", 0)):
        other = session.tree.fork(first, f"other-{name}")
        session.refused(f"other-root-by-{name}", OTHER_ROOT, session.submission(tree=other))
    session.refused("repetition-with-proof", {422}, session.submission(proof=session.tree.proof(size, size + 1)))

def proofs(session):
    session.reach(STEPS[-1])
    size, tree = session.size, session.tree
    grown = size + 11
    proof = tree.proof(size, grown)
    rewritten = tree.fork(size - 2, "rewritten")
    wrong = {
        "missing": [],
        "without-first": proof[1:],
        "without-last": proof[:-1],
        "with-one-more": proof + [bytes(32)],
        "with-last-twice": proof + proof[-1:],
        "reversed": proof[::-1],
        "of-other-old-size": tree.proof(size - 1, grown),
        "of-other-size": tree.proof(size, grown + 1),
        "of-63-other-hashes": [bytes([number]) * 32 for number in range(63)],
    }
    for place in range(len(proof)):
        flipped = bytes([proof[place][0] ^ 1]) + proof[place][1:]
        wrong[f"with-other-hash-{place + 1}"] = proof[:place] + [flipped] + proof[place + 1:]
    for name, hashes in wrong.items():
        session.refused(f"proof-{name}", {422}, session.submission(grown, proof=hashes))
    session.refused("proof-of-rewritten-tree", {422}, session.submission(grown, tree=rewritten))
    session.refused("proof-of-other-root", {422}, session.submission(grown, tree=rewritten, proof=proof))
    session.refused("proof-of-64-hashes", {400, 413, 422},
                    session.submission(grown, proof=[bytes([number]) * 32 for number in range(64)]))
    session.accepted("growth-to-power-of-two", session.submission(512))
    size = session.size
    session.refused("proof-with-old-root", {422},
                    session.submission(size + 11, proof=[tree.root(size)] + session.tree.proof(size, size + 11)))
    session.refused("proof-missing-for-power-of-two", {422}, session.submission(size + 11, proof=[]))
    session.accepted("growth-from-power-of-two", session.submission(size + 11))

def large(session):
    session.accepted("growth-to-odd-size", session.submission(session.size + 1 + session.size % 2))
    session.accepted("proof-of-63-hashes", session.submission(LARGE))
    session.accepted("growth-of-large-tree", session.submission(LARGE + 3))
    session.accepted("growth-of-large-tree-again", session.submission(LARGE + 9))
    session.conflict("old-size-of-large-tree", session.submission(LARGE + 11, old=LARGE))
