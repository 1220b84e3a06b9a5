"""The checks of malformed requests. Each is a growth that would be accepted without the fault.

The specification gives no status for most of them. A request that cannot be read is a 400. A note that cannot be read
may also count as one without a trusted signature, a proof that cannot be read as one that does not verify."""
import dataclasses

from .notes import encode64

REQUEST, PROOF, NOTE, TEXT = {400}, {400, 422}, {400, 403}, {400, 403, 422}

def run(session):
    openings(session)
    hashes(session)
    notes(session)
    texts(session)
    method(session)

def malformed(session, check, statuses, body):
    """Sends what `body` makes of a growth."""
    submission = session.submission(session.size + 1)
    session.refused(check, statuses, dataclasses.replace(submission, raw=body(submission)))

def openings(session):
    def old(line):
        def body(submission):
            return line.format(submission.old).encode() + submission.body[submission.body.index(b"\n"):]
        return body

    written = {
        "leading-zero": "old 0{}", "plus-sign": "old +{}", "minus-sign": "old -{}", "two-spaces": "old  {}",
        "tab": "old\t{}", "no-space": "old{}", "space-at-end": "old {} ", "space-at-start": " old {}",
        "capitals": "OLD {}", "other-word": "size {}", "no-number": "old ", "only-the-word": "old",
        "two-numbers": "old {} 1", "fraction": "old {}.0", "carriage-return": "old {}\r", "underscore": "old 1_0",
        "too-many-digits": "old {}" + "0" * 40, "other-digits": "old \u0661",
    }
    for name, line in written.items():
        malformed(session, f"old-size-written-with-{name}", REQUEST, old(line))
    malformed(session, "request-empty", REQUEST, lambda submission: b"")
    malformed(session, "request-of-one-line-feed", REQUEST, lambda submission: b"\n")
    malformed(session, "request-without-old-size", REQUEST,
              lambda submission: submission.body[submission.body.index(b"\n") + 1:])
    malformed(session, "request-of-checkpoint-only", REQUEST,
              lambda submission: submission.text + b"\n" + submission.lines)
    malformed(session, "request-without-checkpoint", NOTE | {404}, lambda submission: submission.opening)
    malformed(session, "request-without-empty-line", TEXT,
              lambda submission: submission.opening[:-1] + submission.text + b"\n" + submission.lines)
    malformed(session, "request-with-two-old-sizes", PROOF,
              lambda submission: f"old {submission.old}\n".encode() + submission.body)
    malformed(session, "request-with-crlf", NOTE, lambda submission: submission.body.replace(b"\n", b"\r\n"))

def hashes(session):
    def lines(change):
        """The first proof line is changed."""
        def body(submission):
            opening = submission.opening.decode().split("\n")
            opening[1] = change(opening[1], submission.proof[0])
            return "\n".join(opening).encode() + submission.text + b"\n" + submission.lines
        return body

    changes = {
        "not-base64": lambda line, proof: "?" * 44,
        "of-31-bytes": lambda line, proof: encode64(proof[:31]),
        "of-33-bytes": lambda line, proof: encode64(proof + b"\0"),
        "without-padding": lambda line, proof: line.rstrip("="),
        "in-hexadecimal": lambda line, proof: proof.hex(),
        "space-at-end": lambda line, proof: line + " ",
        "space-at-start": lambda line, proof: " " + line,
        "carriage-return": lambda line, proof: line + "\r",
    }
    for name, change in changes.items():
        malformed(session, f"proof-line-{name}", PROOF, lines(change))
    malformed(session, "proof-on-one-line", PROOF,
              lambda submission: f"old {submission.old}\n{''.join(map(encode64, submission.proof))}\n\n".encode()
              + submission.text + b"\n" + submission.lines)

def notes(session):
    def ending(change):
        def body(submission):
            return submission.opening + change(submission.text, submission.lines)
        return body

    changes = {
        "without-signature-lines": lambda text, lines: text + b"\n",
        "without-empty-line": lambda text, lines: text + lines,
        "without-last-line-feed": lambda text, lines: text + b"\n" + lines[:-1],
        "with-text-at-end": lambda text, lines: text + b"\n" + lines + b"text\n",
        "with-hyphen-for-dash": lambda text, lines: text + b"\n" + lines.replace("\u2014".encode(), b"-"),
        "with-signature-not-base64": lambda text, lines: text + b"\n" + lines[:-9] + b"????????\n",
        "with-signature-without-name": lambda text, lines: text + b"\n" + b" ".join(lines.split(b" ")[::2]),
    }
    for name, change in changes.items():
        malformed(session, f"note-{name}", NOTE, ending(change))

def texts(session):
    """Checkpoints that are malformed though their signature verifies."""
    submission = session.submission(session.size + 1)
    origin, size, root = submission.text.decode().split("\n")[:3]
    written = {
        "of-two-lines": [origin, size],
        "of-one-line": [origin],
        "size-with-leading-zero": [origin, "0" + size, root],
        "size-with-plus-sign": [origin, "+" + size, root],
        "size-negative": [origin, "-" + size, root],
        "size-with-space": [origin, size + " ", root],
        "size-not-decimal": [origin, hex(submission.size), root],
        "size-missing": [origin, "", root],
        "size-too-large": [origin, size + "0" * 40, root],
        "root-not-base64": [origin, size, "?" * 44],
        "root-of-31-bytes": [origin, size, encode64(submission.root[:31])],
        "root-of-33-bytes": [origin, size, encode64(submission.root + b"\0")],
        "root-without-padding": [origin, size, root.rstrip("=")],
        "root-in-hexadecimal": [origin, size, submission.root.hex()],
        "size-and-root-swapped": [origin, root, size],
        "with-empty-extension-line": [origin, size, root, "", "a line"],
        "with-tab": [origin, size, root, "a\tline"],
        "with-carriage-return": [origin, size, root + "\r"],
        "with-nul": [origin, size, root, "a\0line"],
    }
    for name, lines in written.items():
        text = "".join(line + "\n" for line in lines).encode()
        session.refused(f"checkpoint-{name}", TEXT, session.submission(submission.size, text=text))
    session.refused("checkpoint-not-utf-8", TEXT,
                    session.submission(submission.size, text=submission.text + b"\xff\xfe\n"))
    text = f"\n{size}\n{root}\n".encode()
    session.refused("checkpoint-without-origin", TEXT | {404}, session.submission(submission.size, text=text))

def method(session):
    submission = session.submission(session.size + 1)
    answer = session.wire.send(submission.body, method="GET")
    fault = session.refusal_fault(answer, submission)
    session.record("method-get", "400 to 499 or 501, nothing changed", f"{answer}, {fault}" if fault else f"{answer}",
                   (400 <= answer.status < 500 or answer.status == 501) and not fault)
