"""What was submitted to the witness, what it should have recorded, and the results so far."""
import dataclasses
import time

from . import Unusable, ed25519
from .notes import checkpoint, cosigned, encode64, read_line
from .tree import Tree
from .wire import SIZE_TYPE

CLOCK_TOLERANCE = 120

class Stopped(Exception):
    """The witness is in a state from which the checks cannot continue."""

@dataclasses.dataclass(frozen=True)
class Result:
    check: str
    expected: str
    got: str
    ok: bool

@dataclasses.dataclass(frozen=True)
class Submission:
    """One request: a checkpoint of a tree, with a proof. `raw` replaces the body that these give."""
    tree: Tree
    size: int
    epoch: int
    old: int
    proof: tuple
    root: bytes
    text: bytes
    lines: bytes
    raw: bytes | None = None

    @property
    def body(self):
        return self.opening + self.text + b"\n" + self.lines if self.raw is None else self.raw

    @property
    def opening(self):
        """Everything before the checkpoint."""
        return "".join(f"{line}\n" for line in (f"old {self.old}", *map(encode64, self.proof), "")).encode()

@dataclasses.dataclass(frozen=True)
class Cosigned:
    submission: Submission
    time: int

class Session:
    def __init__(self, wire, log, witness_key):
        self.wire, self.log, self.witness_key = wire, log, witness_key
        self.tree, self.size, self.epoch, self.begun = Tree("main"), 0, 0, False
        self.results, self.cosigned = [], []

    @property
    def origin(self):
        return self.log.key.name

    def submission(self, size=None, **given):
        """A correct repetition of the latest checkpoint, except for what is given."""
        size = self.size if size is None else size
        tree, epoch, old = given.get("tree", self.tree), given.get("epoch", self.epoch), given.get("old", self.size)
        proof = given["proof"] if "proof" in given else tree.proof(old, size)
        root = given.get("root") or tree.root(size)
        extensions = given.get("extensions", [f"epoch {epoch}"] if epoch else [])
        text = given.get("text") or checkpoint(given.get("origin", self.origin), size, root, extensions)
        lines = given["lines"] if "lines" in given else self.log.line(text)
        return Submission(tree, size, epoch, old, tuple(proof), root, text, lines)

    def record(self, check, expected, got, ok):
        self.results.append(Result(check, expected, got, ok))

    def adopt(self, submission):
        """The witness accepted the submission, rightly or not: the checks continue from it."""
        self.tree, self.size, self.epoch = submission.tree, submission.size, submission.epoch
        self.begun = True

    def follow(self, answer):
        """The witness answered a conflict to a correct submission: the checks continue from the size that it has."""
        if answer.size is not None and answer.size < 2**63:
            self.size = answer.size

    def reach(self, size):
        """Brings a witness that refused a correct growth before, or accepted a wrong one, to at least this size."""
        for _ in range(2):
            if self.size >= size:
                return
            submission = self.submission(size)
            answer = self.wire.send(submission.body)
            if answer.status == 200:
                self.adopt(submission)
            self.follow(answer)
        if self.size < size:
            raise Stopped(f"{self.describe(answer)} for a growth to {size}")

    def cosignature_fault(self, answer, submission):
        """What is wrong with an answer of 200, or None. A correct cosignature is kept."""
        lines = answer.body.decode("utf-8", "replace").split("\n")
        if lines.pop() != "" or not lines:
            return "the answer is not whole lines"
        read = [read_line(line) for line in lines]
        if None in read:
            return "a line is not a signature line"
        key = self.witness_key
        blobs = [blob for name, identifier, blob in read if (name, identifier) == (key.name, key.identifier)]
        if not blobs:
            return "no line has the witness's name and key id"
        for blob in blobs:
            if len(blob) != 72:
                return "a cosignature does not have a time and 64 bytes"
            at = int.from_bytes(blob[:8], "big")
            if not ed25519.verify(key.public, cosigned(submission.text, at), blob[8:]):
                return "a cosignature does not verify"
            if abs(at - time.time()) > CLOCK_TOLERANCE:
                return f"the cosignature's time is {at}"
            self.cosigned.append(Cosigned(submission, at))
        return None

    def has_cosignature(self, answer, submission):
        for line in answer.body.decode("utf-8", "replace").split("\n"):
            name, identifier, blob = read_line(line) or ("", b"", b"")
            message = cosigned(submission.text, int.from_bytes(blob[:8], "big"))
            if name == self.witness_key.name and ed25519.verify(self.witness_key.public, message, blob[8:]):
                return True
        return False

    def accepted(self, check, submission):
        """The witness must cosign."""
        answer = self.wire.send(submission.body)
        fault = self.cosignature_fault(answer, submission) if answer.status == 200 else None
        if answer.status == 200:
            self.adopt(submission)
        self.follow(answer)
        self.record(check, "200 with a cosignature", f"{answer}, {fault}" if fault else self.describe(answer),
                    answer.status == 200 and not fault)

    def refused(self, check, statuses, submission, expected=None):
        """The witness must answer one of the statuses and change nothing."""
        expected = expected or " or ".join(map(str, sorted(statuses))) + ", nothing changed"
        answer = self.wire.send(submission.body)
        fault = self.refusal_fault(answer, submission)
        self.record(check, expected, f"{answer}, {fault}" if fault else self.describe(answer),
                    answer.status in statuses and not fault)

    def conflict(self, check, submission, size=None):
        """The witness must answer 409 with the size that it has cosigned, unless another one is given."""
        answer = self.wire.send(submission.body)
        size = self.size if size is None else size
        fault = self.refusal_fault(answer, submission)
        if answer.status == 409 and not fault and answer.size != size:
            fault = f"type `{answer.content_type}`, body {answer.body[:40]!r}"
        self.record(check, f"409, type {SIZE_TYPE}, body \"{size}\\n\", nothing changed",
                    f"{answer}, {fault}" if fault else self.describe(answer), answer.status == 409 and not fault)

    def allowed(self, check, statuses, submission):
        """The specification leaves open whether the witness cosigns; if not, it must answer one of the statuses."""
        answer = self.wire.send(submission.body)
        if answer.status == 200:
            fault = self.cosignature_fault(answer, submission)
            self.adopt(submission)
        else:
            fault = self.refusal_fault(answer, submission)
        self.record(check, "200 with a cosignature, or " + " or ".join(map(str, sorted(statuses))),
                    f"{answer}, {fault}" if fault else self.describe(answer),
                    answer.status in {200, *statuses} and not fault)

    def refusal_fault(self, answer, submission):
        """What is wrong with a refusal, apart from its status: a cosignature, another size, a change."""
        if answer.status == 200:
            self.cosignature_fault(answer, submission)
            self.adopt(submission)
            return "accepted"
        if self.has_cosignature(answer, submission):
            return "with a cosignature"
        # A witness that knows nothing of a later epoch may name the size from which it begins.
        sizes = {self.size, 0} if submission.epoch > self.epoch else {self.size}
        if answer.content_type == SIZE_TYPE and answer.size not in sizes:
            return f"with the size {answer.body[:40]!r}"
        return self.repetition_fault() if self.begun else None

    def repetition_fault(self):
        """What is wrong if the latest checkpoint is not accepted once more: the witness has another size or root."""
        repetition = self.submission()
        answer = self.wire.send(repetition.body)
        self.follow(answer)
        if answer.status != 200:
            return f"then {self.describe(answer)} for a repetition of the latest checkpoint"
        fault = self.cosignature_fault(answer, repetition)
        return f"then for a repetition of the latest checkpoint: {fault}" if fault else None

    def describe(self, answer):
        return f"{answer}" if answer.size is None else f"{answer} with size {answer.size}"

    def begin(self):
        """Refuses to check a witness that does not know the log, or that cosigned it before."""
        sizes = set()
        for old in (3, 4):
            answer = self.wire.send(self.submission(6, old=old).body)
            if answer.status == 0:
                raise Unusable(f"the witness cannot be reached: {answer}")
            if answer.status in (403, 404):
                raise Unusable(f"{answer}: the witness does not trust {self.log.key} for the origin {self.origin}")
            sizes.add(answer.size)
        if len(sizes) == 1 and (known := sizes.pop()):
            raise Unusable(f"the witness has cosigned {known} leaves of this log before; "
                           "the checks need a log that is new to it")

    def agreement(self):
        """No cosignature contradicts an earlier one."""
        faults, turned = [], 0
        for before, now in zip(self.cosigned, self.cosigned[1:]):
            first, second = before.submission, now.submission
            turned += now.time < before.time
            if second.epoch < first.epoch:
                faults.append(f"epoch {second.epoch} after {first.epoch}")
            elif second.epoch == first.epoch and second.size < first.size:
                faults.append(f"size {second.size} after {first.size}")
            elif second.epoch == first.epoch and first.root != (second.root if second.size == first.size
                                                                else second.tree.root(first.size)):
                faults.append(f"size {second.size} does not continue the cosigned {first.size}")
        count = f"{len(self.cosigned)} cosignatures"
        self.record("cosignatures-agree", "each continues the one before it",
                    f"{count}: " + (", ".join(faults[:3]) or "they do"), not faults and bool(self.cosigned))
        self.record("times-never-decrease", "no time is earlier than one before it",
                    f"{count}, {turned} earlier", not turned and bool(self.cosigned))
