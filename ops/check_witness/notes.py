"""Keys, checkpoints and signature lines of signed notes."""
import base64
import binascii
import hashlib
import os
import pathlib
import re

from . import Unusable, ed25519

ED25519, COSIGNATURE = 1, 4
DASH = "\u2014".encode()
PRIVATE_KEY_INFO = bytes.fromhex("302e020100300506032b657004220420")

def encode64(data):
    return base64.b64encode(data).decode()

def decode64(text):
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None

def is_name(name):
    return name != "" and "+" not in name and not any(character.isspace() for character in name)

class Key:
    """A public key with its name and signature type."""

    def __init__(self, name, kind, public):
        self.name, self.kind, self.public = name, kind, public
        self.identifier = hashlib.sha256(name.encode() + b"\n" + bytes([kind]) + public).digest()[:4]

    def __str__(self):
        return f"{self.name}+{self.identifier.hex()}+{encode64(bytes([self.kind]) + self.public)}"

class Signer:
    """A private key. The type 4 signs cosignatures, which need a time."""

    def __init__(self, name, seed, kind=ED25519):
        self.seed, self.key = seed, Key(name, kind, ed25519.public_key(seed))

    def signature(self, text):
        return ed25519.sign(self.seed, text)

    def line(self, text):
        return signature_line(self.key.name, self.key.identifier, self.signature(text))

    def cosignature_line(self, text, time):
        signature = self.signature(cosigned(text, time))
        return signature_line(self.key.name, self.key.identifier, time.to_bytes(8, "big") + signature)

def cosigned(text, time):
    """The bytes that a cosignature signs."""
    return f"cosignature/v1\ntime {time}\n".encode() + text

def signature_line(name, identifier, signature):
    return DASH + f" {name} {encode64(identifier + signature)}\n".encode()

def checkpoint(origin, size, root, extensions=()):
    return "".join(line + "\n" for line in (origin, str(size), encode64(root), *extensions)).encode()

def read_line(line):
    """The name, key id and signature of a signature line without its line feed; None if it is malformed."""
    parts = line.split(" ")
    blob = decode64(parts[2]) if len(parts) == 3 else None
    if parts[0] != "\u2014" or blob is None or len(blob) < 5 or not is_name(parts[1]):
        return None
    return parts[1], blob[:4], blob[4:]

def read_key(text, kind):
    """A verifier key, `<name>+<key id>+<base64>`, or a file with one."""
    given = pathlib.Path(text).read_text("utf-8").strip() if os.path.exists(text) else text
    name, _, rest = given.partition("+")
    identifier, _, encoded = rest.partition("+")
    material = decode64(encoded)
    if not is_name(name) or material is None or len(material) != 33:
        raise Unusable("the key is not an Ed25519 verifier key, <name>+<key id>+<base64>")
    if material[0] != kind:
        raise Unusable(f"the key has the signature type {material[0]}, not {kind}")
    key = Key(name, kind, material[1:])
    if key.identifier.hex() != identifier:
        raise Unusable("the key's id does not belong to its name and bytes")
    return key

def read_signer(text, origin):
    """A private key: 32 bytes, also as hexadecimal digits or base64, in PKCS #8, or `PRIVATE+KEY+<name>+<id>+...`."""
    given = pathlib.Path(text).read_bytes() if os.path.exists(text) else text.encode()
    name, seed = None, given if len(given) == 32 else None
    if seed is None:
        given = given.decode("utf-8", "replace").strip()
        if given.startswith("PRIVATE+KEY+"):
            name, _, given = given[12:].split("+", 2) if given.count("+") >= 4 else (None, None, "")
        lines = [line for line in given.split("\n") if not line.startswith(("#", "-----"))]
        encoded = "".join(lines).strip()
        seed = bytes.fromhex(encoded) if re.fullmatch("[0-9a-fA-F]{64}", encoded) else decode64(encoded)
        for prefix in (bytes([ED25519]), PRIVATE_KEY_INFO):
            if seed and len(seed) == 32 + len(prefix) and seed.startswith(prefix):
                seed = seed[len(prefix):]
    if seed is None or len(seed) != 32:
        raise Unusable("the log's key is not an Ed25519 private key")
    name = origin or name or "check-witness.example/log"
    if not is_name(name):
        raise Unusable("the origin has a space or a plus sign")
    return Signer(name, seed)
