"""Witnesses with one breach each, and a check that must find it."""
import threading

from . import ed25519
from .notes import decode64, signature_line
from .witness import Refusal, State, Witness

# Sizes

class AcceptsSmallerTree(Witness):
    def check_old_size(self, request, state):
        if request.size >= state.size:
            super().check_old_size(request, state)

    def check_proof(self, request, state):
        if request.size >= state.size:
            super().check_proof(request, state)

class IgnoresOldSize(Witness):
    def check_old_size(self, request, state):
        if request.old > request.size:
            raise Refusal(400)

class BeginsAgainFromZero(Witness):
    def latest(self, request):
        return State(epoch=request.epoch) if request.old == 0 else super().latest(request)

class TrustsFirstOldSize(Witness):
    """The first checkpoint may have any old size."""
    def check_and_store(self, request):
        if self.state.root is not None:
            super().check_and_store(request)
        self.state = State(request.size, request.root, request.epoch)

class OldSizeAboveTreeIsConflict(Witness):
    def check_old_size(self, request, state):
        if request.old > request.size:
            raise self.conflict(request, state)
        super().check_old_size(request, state)

class ConflictWithoutBody(Witness):
    def conflict(self, request, state):
        return Refusal(409, "text/x.tlog.size", b"")

class ConflictWithoutLineFeed(Witness):
    def conflict(self, request, state):
        return Refusal(409, "text/x.tlog.size", b"%d" % self.state.size)

class ConflictWithOldSizeOfRequest(Witness):
    def conflict(self, request, state):
        return Refusal(409, "text/x.tlog.size", b"%d\n" % request.old)

class ConflictOfWrongType(Witness):
    def conflict(self, request, state):
        return Refusal(409, "text/plain; charset=utf-8", b"%d\n" % self.state.size)

class RefusesEmptyTree(Witness):
    def check_root(self, request, state):
        if request.size == 0:
            raise Refusal(400)
        super().check_root(request, state)

# State

class ForgetsAfterRefusal(Witness):
    def answer(self, method, body):
        answer = super().answer(method, body)
        if answer[0] == 422:
            self.state = State()
        return answer

class ForgetsGrowth(Witness):
    """Every fifth growth is cosigned and not recorded."""
    growths = 0

    def check_and_store(self, request):
        before = self.state
        super().check_and_store(request)
        self.growths += request.size > before.size
        if request.size > before.size and self.growths % 5 == 0:
            self.state = before

class StoresBeforeChecking(Witness):
    def check_proof(self, request, state):
        self.state = State(request.size, request.root, request.epoch)
        super().check_proof(request, state)

class ChecksWithoutLock(Witness):
    """Two requests on two connections both check before one of them stores."""

    def __init__(self, *given):
        super().__init__(*given)
        self.lock, self.changed, self.connections, self.checked = threading.Semaphore(2), threading.Condition(), 0, 0

    def opened(self):
        with self.changed:
            self.connections += 1

    def closed(self):
        with self.changed:
            self.connections -= 1
            self.checked = 0
            self.changed.notify_all()

    def check_proof(self, request, state):
        super().check_proof(request, state)
        if request.size == state.size:
            return
        with self.changed:
            self.checked += 1
            self.changed.notify_all()
            self.changed.wait_for(lambda: self.checked > 1 or self.connections < 2, timeout=5)

# Roots and proofs

class AcceptsAnyProof(Witness):
    def check_proof(self, request, state):
        pass

class AcceptsOtherRoot(Witness):
    def check_root(self, request, state):
        pass

class IgnoresOldRoot(Witness):
    def are_roots(self, old_hash, old_root, new_hash, root):
        return new_hash == root

class IgnoresNewRoot(Witness):
    def are_roots(self, old_hash, old_root, new_hash, root):
        return old_hash == old_root

class IgnoresProofOfSameSize(Witness):
    def is_consistent(self, proof, old, old_root, size, root):
        return old == size or super().is_consistent(proof, old, old_root, size, root)

class IgnoresFurtherHashes(Witness):
    def is_consistent(self, proof, old, old_root, size, root):
        known = super().is_consistent
        return any(known(proof[:count], old, old_root, size, root) for count in range(len(proof) + 1))

class WrongProofIsConflict(Witness):
    def check_proof(self, request, state):
        if not self.is_consistent(request.proof, state.size, state.root, request.size, request.root):
            raise self.conflict(request, state)

class LimitsProofTo32(Witness):
    proof_limit = 32

# Signatures

class IgnoresSignatures(Witness):
    def check_signatures(self, request):
        pass

class TrustsKeyId(Witness):
    def verifies(self, text, signature):
        return True

class UnknownOriginIsForbidden(Witness):
    def check_origin(self, request):
        if request.origin != self.log_key.name.encode():
            raise Refusal(403)

class IgnoresOrigin(Witness):
    def check_origin(self, request):
        pass

class ChecksFirstSignatureOnly(Witness):
    def check_signatures(self, request):
        request.signatures = request.signatures[:1]
        super().check_signatures(request)

class RefusesUnknownKeyOfSameName(Witness):
    def check_signatures(self, request):
        super().check_signatures(request)
        if any(name == self.log_key.name and not self.verifies(request.text, signature)
               for name, _, signature in request.signatures):
            raise Refusal(403)

class LimitsNoteTo8Lines(Witness):
    line_limit = 8

# Cosignatures

class CosignsAtZero(Witness):
    def now(self):
        return 0

class CosignsYesterday(Witness):
    def now(self):
        return super().now() - 86400

class CosignsInMilliseconds(Witness):
    def now(self):
        return super().now() * 1000

class CosignsBackwards(Witness):
    earlier = 0

    def now(self):
        self.earlier += self.earlier < 60
        return super().now() - self.earlier

class CosignsThreeLines(Witness):
    def cosign(self, request):
        request.text = b"\n".join(request.text.split(b"\n")[:3]) + b"\n"
        return super().cosign(request)

class SignsWithoutTime(Witness):
    def cosign(self, request):
        return self.signer.line(request.text)

class CosignsOtherTime(Witness):
    """The signed time is not the one in the line."""
    def cosign(self, request):
        line = self.signer.cosignature_line(request.text, self.now())
        other = self.signer.cosignature_line(request.text, self.now() - 1)
        return line[:-80] + other[-80:]

class CosignsUnderLogName(Witness):
    def cosign(self, request):
        signature = ed25519.sign(self.signer.seed, request.text)
        return signature_line(self.log_key.name, self.signer.key.identifier, bytes(8) + signature)

class AnswersWholeNote(Witness):
    def cosign(self, request):
        return request.text + b"\n" + super().cosign(request)

class CosignsRefused(Witness):
    def check_proof(self, request, state):
        try:
            super().check_proof(request, state)
        except Refusal:
            raise Refusal(422, body=self.cosign(request)) from None

# Requests

class ReadsLeadingZeros(Witness):
    def decimal(self, digits):
        return super().decimal(digits.lstrip(b"0") or b"0")

class ReadsNumbersFreely(Witness):
    def decimal(self, digits):
        try:
            return int(digits.decode())
        except ValueError:
            raise Refusal(400) from None

class ReadsLongHashes(Witness):
    def hash(self, line):
        return (decode64(line) or b"")[:32]

class ReadsControlCharacters(Witness):
    def is_plain(self, note):
        return True

class AnswersGet(Witness):
    def answer(self, method, body):
        return super().answer("POST", body)

# Epochs

class GoesBackAnEpoch(Witness):
    def latest(self, request):
        return self.state if request.epoch == self.state.epoch else State(epoch=request.epoch)

class IgnoresEpochs(Witness):
    knows_epochs = False

class MissingLineMeansSameEpoch(Witness):
    def epoch_of(self, lines):
        return super().epoch_of(lines) or self.state.epoch

class ComparesEpochsAsText(Witness):
    def latest(self, request):
        if str(request.epoch) < str(self.state.epoch):
            raise self.conflict(request, self.state)
        return self.state if request.epoch == self.state.epoch else State(epoch=request.epoch)

class AcceptsNextEpochOnly(Witness):
    def latest(self, request):
        if request.epoch > self.state.epoch + 1:
            raise self.conflict(request, self.state)
        return super().latest(request)

class KeepsSizeInNewEpoch(Witness):
    def latest(self, request):
        super().latest(request)
        return self.state

class NamesEarlierSizeInNewEpoch(Witness):
    def conflict(self, request, state):
        return super().conflict(request, self.state)

class ReadsFourthLineOnly(Witness):
    def epoch_of(self, lines):
        return super().epoch_of(lines[:1])

class ReadsEpochFreely(Witness):
    def epoch_of(self, lines):
        words = [line.split() for line in lines]
        return next((int(pair[1]) for pair in words if len(pair) == 2 and pair[0] == b"epoch" and pair[1].isdigit()), 0)

# By the check that must find it.
BREACHES = [
    ("smaller-tree-repeated", AcceptsSmallerTree), ("old-size-behind", IgnoresOldSize),
    ("old-size-zero-of-larger-tree", BeginsAgainFromZero), ("old-size-of-unknown-log", TrustsFirstOldSize),
    ("old-size-above-tree", OldSizeAboveTreeIsConflict), ("old-size-behind", ConflictWithoutBody),
    ("old-size-behind", ConflictWithoutLineFeed), ("old-size-behind", ConflictWithOldSizeOfRequest),
    ("old-size-behind", ConflictOfWrongType), ("empty-tree", RefusesEmptyTree),
    ("proof-missing", ForgetsAfterRefusal), ("repetition-5", ForgetsGrowth), ("proof-missing", StoresBeforeChecking),
    ("race-of-two-trees-1", ChecksWithoutLock), ("proof-missing", AcceptsAnyProof),
    ("other-root-by-last-leaf", AcceptsOtherRoot), ("proof-of-rewritten-tree", IgnoresOldRoot),
    ("proof-of-other-root", IgnoresNewRoot), ("repetition-with-proof", IgnoresProofOfSameSize),
    ("proof-with-one-more", IgnoresFurtherHashes), ("proof-missing", WrongProofIsConflict),
    ("proof-of-63-hashes", LimitsProofTo32), ("signature-of-unknown-key", IgnoresSignatures),
    ("signature-of-other-text", TrustsKeyId), ("origin-unknown", UnknownOriginIsForbidden),
    ("origin-unknown", IgnoresOrigin), ("signature-last-of-16", ChecksFirstSignatureOnly),
    ("known-name-with-unknown-id", RefusesUnknownKeyOfSameName), ("signature-last-of-16", LimitsNoteTo8Lines),
    ("first", CosignsAtZero), ("first", CosignsYesterday), ("first", CosignsInMilliseconds),
    ("times-never-decrease", CosignsBackwards), ("growth-with-extension-lines", CosignsThreeLines),
    ("first", SignsWithoutTime), ("first", CosignsOtherTime), ("first", CosignsUnderLogName),
    ("first", AnswersWholeNote), ("proof-missing", CosignsRefused),
    ("old-size-written-with-leading-zero", ReadsLeadingZeros), ("old-size-written-with-plus-sign", ReadsNumbersFreely),
    ("proof-line-of-33-bytes", ReadsLongHashes), ("checkpoint-with-tab", ReadsControlCharacters),
    ("method-get", AnswersGet), ("epoch-0-from-zero", GoesBackAnEpoch), ("epoch-begun", IgnoresEpochs),
    ("epoch-line-missing-in-growth", MissingLineMeansSameEpoch), ("epoch-of-two-digits", ComparesEpochsAsText),
    ("epoch-skipping-some", AcceptsNextEpochOnly), ("epoch-begun", KeepsSizeInNewEpoch),
    ("epoch-asked-for", NamesEarlierSizeInNewEpoch),
    ("epoch-line-after-another", ReadsFourthLineOnly), ("epoch-written-with-leading-zero", ReadsEpochFreely),
]
