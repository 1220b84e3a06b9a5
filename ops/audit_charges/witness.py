"""Compares the log with a witness file (docs/log-format.md, section 5)."""
import base64
import binascii
import hashlib

from check_witness.ed25519 import verify

from . import Unusable

class Checkpoint:
    def __init__(self, text):
        body, separator, signatures = text.partition("\n\n")
        lines = body.split("\n")
        if not separator or len(lines) < 3 or not lines[1].isdigit():
            raise Unusable("the witness file has something that is not a checkpoint")
        self.origin, self.size, self.root, self.epoch = lines[0], int(lines[1]), lines[2], 0
        for line in lines[3:]:
            if line.startswith("epoch ") and line[6:].isdigit():
                self.epoch = int(line[6:])
        self.signed = (body + "\n").encode()
        self.signatures = [line[2:].split(" ") for line in signatures.split("\n") if line.startswith("\u2014 ")]

    def is_signed_by(self, keys):
        for name, identifier, material in keys:
            for parts in self.signatures:
                if len(parts) != 2 or parts[0] != name or name != self.origin:
                    continue
                blob = decode(parts[1])
                if len(blob) == 68 and blob[:4].hex() == identifier and verify(material[1:], self.signed, blob[4:]):
                    return True
        return False

def decode(text):
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Unusable("a key or signature is not base64") from None

def read_keys(text):
    keys = []
    for line in text.split("\n"):
        if not line or line.startswith("#"):
            continue
        name, _, rest = line.partition("+")
        identifier, _, encoded = rest.partition("+")
        material = decode(encoded)
        if len(material) != 33 or hashlib.sha256(name.encode() + b"\n" + material).digest()[:4].hex() != identifier:
            raise Unusable("the key is not a public key of a log")
        keys.append((name, identifier, material))
    return keys

def read_witness(path):
    with open(path, encoding="utf-8", newline="") as file:
        lines = file.read().split("\n")
    checkpoints, at = [], 0
    while at < len(lines) and any(lines[at:]):
        try:
            end = lines.index("", lines.index("", at) + 1)
        except ValueError:
            raise Unusable("the witness file ends within a checkpoint") from None
        checkpoints.append(Checkpoint("\n".join(lines[at:end]) + "\n"))
        at = end + 1
    return checkpoints

def lost_events(log, checkpoints):
    """The contradicting checkpoint and the last size that log and witness share, or None."""
    shared = 0
    for checkpoint in checkpoints:
        if checkpoint.size <= log.leaves and log.root(checkpoint.size) == checkpoint.root:
            shared = max(shared, checkpoint.size)
        elif not is_adopted(log, checkpoint):
            return checkpoint, shared
    return None

def is_adopted(log, checkpoint):
    """True if an operator adopted the log after this checkpoint was lost. `lost` is the last one of its epoch."""
    for event in log.epochs:
        data = event["data"]
        lost = data.get("lost")
        if lost and data["epoch"] > checkpoint.epoch and checkpoint.size <= lost["size"]:
            return checkpoint.size < lost["size"] or checkpoint.root == lost.get("root", checkpoint.root)
    return False
