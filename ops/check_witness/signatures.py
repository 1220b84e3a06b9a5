"""The checks of origins, signature lines and extension lines."""
import hashlib

from .notes import COSIGNATURE, Key, Signer, checkpoint, signature_line

def seed(name):
    return hashlib.sha256(name.encode()).digest()

def run(session):
    origins(session)
    untrusted(session)
    several(session)
    extensions(session)

def grown(session, **given):
    return session.submission(session.size + 1, **given)

def origins(session):
    other = f"{session.origin}/other"
    session.refused("origin-unknown", {404}, grown(session, origin=other))
    text = grown(session, origin=other).text
    session.refused("origin-unknown-with-its-name", {404},
                    grown(session, text=text, lines=Signer(other, session.log.seed).line(text)))
    session.refused("origin-longer", {404}, grown(session, origin=session.origin + "x"))
    session.refused("origin-shorter", {404}, grown(session, origin=session.origin[:-1]))

def untrusted(session):
    key, submission = session.log.key, grown(session)
    text = submission.text
    stranger = Signer("stranger.example/log", seed("stranger"))
    impostor = Signer(key.name, seed("impostor"))
    true = session.log.line(text)
    earlier = session.log.line(session.submission().text)
    witness_kind = Key(key.name, COSIGNATURE, key.public)
    cosigner = Signer(key.name, session.log.seed, COSIGNATURE)
    signature = session.log.signature(text)
    lines = {
        "of-unknown-key": stranger.line(text),
        "of-unknown-key-with-same-name": impostor.line(text),
        "of-other-text": earlier,
        "by-other-key-with-id": signature_line(key.name, key.identifier, impostor.signature(text)),
        "with-one-bit-changed": signature_line(key.name, key.identifier, bytes([signature[0] ^ 1]) + signature[1:]),
        "under-other-name": signature_line(stranger.key.name, key.identifier, signature),
        "under-other-id": signature_line(key.name, stranger.key.identifier, signature),
        "under-cosigner-id": signature_line(key.name, witness_kind.identifier, signature),
        "as-cosignature": cosigner.cosignature_line(text, 1),
    }
    for name, line in lines.items():
        session.refused(f"signature-{name}", {403}, grown(session, lines=line))
    for name, blob in (("too-short", signature[:-1]), ("too-long", signature + b"\0")):
        session.refused(f"signature-{name}", {400, 403},
                        grown(session, lines=signature_line(key.name, key.identifier, blob)))
    session.refused("signature-missing", {400, 403}, grown(session, lines=b""))
    added = checkpoint(session.origin, submission.size, submission.root, ["added 1"])
    session.refused("text-longer-than-signed", {403}, grown(session, text=added, lines=true))
    other = session.tree.fork(session.size, "unsigned")
    unsigned = grown(session, tree=other)
    session.refused("root-other-than-signed", {403}, grown(session, tree=other, text=unsigned.text, lines=true))
    session.refused("old-size-and-signature-wrong", {403, 409},
                    session.submission(session.size + 1, old=session.size - 1, lines=stranger.line(text)))

def several(session):
    key = session.log.key

    def strangers(text, count):
        return [Signer(f"stranger-{number}.example/log", seed(str(number))).line(text) for number in range(count)]

    text = grown(session).text
    junk = b"".join(strangers(text, 2))
    session.accepted("signature-first-of-3", grown(session, lines=session.log.line(text) + junk))
    text = grown(session).text
    junk = b"".join(strangers(text, 15))
    session.accepted("signature-last-of-16", grown(session, lines=junk + session.log.line(text)))
    text = grown(session).text
    junk = signature_line("stranger.example/log", key.identifier, bytes(64))
    session.accepted("unknown-name-with-known-id", grown(session, lines=junk + session.log.line(text)))
    text = grown(session).text
    junk = Signer(key.name, seed("impostor")).line(text)
    session.accepted("known-name-with-unknown-id", grown(session, lines=junk + session.log.line(text)))
    text = grown(session).text
    junk = b"".join(signature_line(f"long.example/{number}", bytes(4), bytes(2428)) for number in range(2))
    session.accepted("unknown-long-signatures", grown(session, lines=junk + session.log.line(text)))
    text = grown(session).text
    junk = signature_line("short.example/log", bytes(4), b"\0")
    session.accepted("unknown-short-signature", grown(session, lines=session.log.line(text) + junk))
    repetition = session.submission()
    false = signature_line(key.name, key.identifier, bytes(64))
    session.allowed("false-beside-true-signature", {400, 403}, session.submission(lines=repetition.lines + false))

def extensions(session):
    size = session.size + 1
    session.accepted("growth-with-extension-lines", session.submission(size, extensions=["after 3", "a line of text"]))
    session.accepted("repetition-with-other-extension-line", session.submission(extensions=["\u00e9 \u2014 x"]))
    session.accepted("repetition-without-extension-line", session.submission())
