"""The checks of epochs, an extension of Daybook: with a higher `epoch N` in its checkpoint, a log begins anew."""
import hashlib

from .notes import Signer, checkpoint
from .race import pair
from .tree import Tree

# A line that does not name an epoch may be refused, or be ignored: then the checkpoint is of epoch 0.
NO_EPOCH = {400, 409, 422}

def run(session):
    before, size = session.tree, session.size
    begin(session, before, size)
    skipped(session)
    refusals(session)
    lines(session)
    races(session)
    session.accepted("growth-after-epochs", session.submission(session.size + 4))

def begin(session, before, size):
    tree = Tree("epoch 1")
    # A log asks for an epoch that the witness has not seen, with its own size as the old one.
    session.conflict("epoch-asked-for", session.submission(size, epoch=1, old=size), size=0)
    session.conflict("epoch-asked-for-by-another-tree", session.submission(3, tree=tree, epoch=1, old=3), size=0)
    session.refused("epoch-begun-with-proof", {422},
                    session.submission(3, tree=tree, epoch=1, old=0, proof=[bytes(32)]))
    session.accepted("epoch-begun", session.submission(3, tree=tree, epoch=1, old=0))
    session.accepted("epoch-repeated", session.submission())
    session.accepted("epoch-grown", session.submission(5))
    session.accepted("epoch-grown-again", session.submission(12))
    session.conflict("epoch-begun-twice", session.submission(7, tree=Tree("other"), old=0))
    session.conflict("epoch-with-old-size-behind", session.submission(15, old=5))
    session.conflict("epoch-asked-for-again", session.submission(5, tree=Tree("other"), old=5))
    session.refused("epoch-with-wrong-proof", {422}, session.submission(15, proof=[bytes(32)] * 3))
    earlier = dict(tree=before, epoch=0)
    session.refused("epoch-0-grown", {409}, session.submission(size + 2, old=size, **earlier))
    session.refused("epoch-0-repeated", {409}, session.submission(size, old=size, **earlier))
    session.refused("epoch-0-from-zero", {409}, session.submission(20, old=0, **earlier))
    session.refused("epoch-0-with-old-size-of-epoch-1", {409}, session.submission(20, old=12, **earlier))
    session.refused("epoch-line-missing-in-growth", {409}, session.submission(15, epoch=0))
    session.refused("epoch-line-missing-in-repetition", {409}, session.submission(epoch=0))

def skipped(session):
    tree = Tree("epoch 9")
    session.accepted("epoch-skipping-some", session.submission(4, tree=tree, epoch=9, old=0))
    session.accepted("epoch-line-after-another", session.submission(6, extensions=["after 4", "epoch 9"]))
    session.accepted("epoch-line-before-another", session.submission(9, extensions=["epoch 9", "after 6"]))
    session.accepted("epoch-of-two-digits", session.submission(40, tree=Tree("epoch 10"), epoch=10, old=0))
    session.accepted("epoch-of-two-digits-grown", session.submission(41))
    session.accepted("epoch-begun-smaller", session.submission(2, tree=Tree("epoch 11"), epoch=11, old=0))
    session.accepted("epoch-begun-smaller-grown", session.submission(7))

def refusals(session):
    size, epoch, tree = session.size, session.epoch, session.tree
    for earlier in (0, 1, 2, 10):
        session.refused(f"epoch-{earlier}-after-{epoch}", {409}, session.submission(size + 3, epoch=earlier))
        session.refused(f"epoch-{earlier}-after-{epoch}-from-zero", {409},
                        session.submission(size + 3, epoch=earlier, old=0, tree=Tree("back")))
    other, higher = Tree("unsigned"), epoch + 1
    text = session.submission(size + 3, tree=other, epoch=higher).text
    stranger = Signer("stranger.example/log", hashlib.sha256(b"stranger").digest())
    session.refused("epoch-begun-by-unknown-key", {403},
                    session.submission(size + 3, tree=other, epoch=higher, old=0, lines=stranger.line(text)))
    unsigned = checkpoint(session.origin, size + 3, other.root(size + 3))
    session.refused("epoch-line-not-signed", {403},
                    session.submission(size + 3, tree=other, epoch=higher, old=0, lines=session.log.line(unsigned)))
    signed = session.submission().text
    session.refused("epoch-line-not-signed-on-same-root", {403},
                    session.submission(tree=tree, epoch=higher, old=0, lines=session.log.line(signed)))
    session.refused("epoch-begun-with-old-size", NO_EPOCH,
                    session.submission(size + 3, tree=other, epoch=higher, old=size, proof=[]))
    session.refused("epoch-begun-with-old-size-above-tree", {400, 409},
                    session.submission(3, tree=other, epoch=higher, old=4, proof=[]))

def lines(session):
    higher, other = session.epoch + 1, Tree("no epoch")
    written = {
        "leading-zero": f"epoch 0{higher}", "plus-sign": f"epoch +{higher}", "space-at-end": f"epoch {higher} ",
        "space-at-start": f" epoch {higher}", "two-spaces": f"epoch  {higher}", "no-space": f"epoch{higher}",
        "capital": f"Epoch {higher}", "fraction": f"epoch {higher}.5", "minus-sign": f"epoch -{higher}",
        "no-number": "epoch ", "only-the-word": "epoch", "zero": "epoch 0", "hexadecimal": "epoch 0xff",
        "other-digits": "epoch \u0669\u0669", "other-word": f"epochs {higher}",
    }
    for name, line in written.items():
        session.refused(f"epoch-written-with-{name}", NO_EPOCH,
                        session.submission(session.size + 3, tree=other, epoch=0, old=0, extensions=[line]))

def races(session):
    for number in range(2):
        epoch = session.epoch + 1
        pair(session, f"race-of-two-trees-for-an-epoch-{number + 1}",
             [session.submission(size, tree=Tree(f"race {epoch} {size}"), epoch=epoch, old=0) for size in (3, 4)])
