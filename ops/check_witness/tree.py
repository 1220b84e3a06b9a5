"""Merkle trees of RFC 6962, section 2.1, by its recursive definitions."""
import functools
import hashlib

EMPTY_ROOT = hashlib.sha256(b"").digest()
# From this size on, a complete subtree that does not begin at leaf 0 has a made-up hash. So trees of 2^62 leaves can be
# used, and nothing in their proofs differs from that of other trees.
OPAQUE = 4096

def split(count):
    """The largest power of two below the count."""
    return 1 << (count - 1).bit_length() - 1

@functools.lru_cache(maxsize=1 << 16)
def node(branches, start, count):
    name = next(name for first, name in reversed(branches) if first <= start)
    if count == 1:
        return hashlib.sha256(b"\x00" + f"{name} {start}".encode()).digest()
    if start and count >= OPAQUE and count & count - 1 == 0:
        return hashlib.sha256(f"subtree {name} {start} {count}".encode()).digest()
    left = split(count)
    return hashlib.sha256(b"\x01" + node(branches, start, left)
                          + node(branches, start + left, count - left)).digest()

class Tree:
    """A tree of any size. Its leaves depend on their index and on the name of the branch that they are on."""

    def __init__(self, name, branches=None):
        self.branches = branches or ((0, name),)

    def fork(self, first, name):
        """A tree with the same leaves before `first` and other ones from there on."""
        kept = tuple(branch for branch in self.branches if branch[0] < first)
        return Tree(name, kept + ((first, name),))

    def root(self, size):
        return node(self.branches, 0, size) if size else EMPTY_ROOT

    def proof(self, old, size):
        """The consistency proof from the old size. It is empty for an old size of 0."""
        return self.subproof(old, 0, size, True) if 0 < old <= size else []

    def subproof(self, old, start, count, known):
        if old == count:
            return [] if known else [node(self.branches, start, count)]
        left = split(count)
        if old <= left:
            return self.subproof(old, start, left, known) + [node(self.branches, start + left, count - left)]
        return self.subproof(old - left, start + left, count - left, False) + [node(self.branches, start, left)]
