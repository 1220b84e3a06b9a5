"""A correct witness for the self-test, written apart from the checks: it only shares Ed25519 and the signature lines.

It keeps its state in memory. `breaches` overrides its methods."""
import hashlib
import http.server
import re
import threading
import time

from . import ed25519
from .notes import decode64, read_line

DECIMAL = re.compile(rb"0|[1-9][0-9]*", re.ASCII)
EPOCH = re.compile(rb"epoch ([1-9][0-9]*)", re.ASCII)
LARGEST = 2**63 - 1

class Refusal(Exception):
    def __init__(self, status, content_type="text/plain", body=b"refused\n"):
        super().__init__(status)
        self.answer = (status, content_type, body)

class State:
    """The latest cosigned checkpoint."""

    def __init__(self, size=0, root=None, epoch=0):
        self.size, self.root, self.epoch = size, root, epoch

class Request:
    """What was read of a request's body."""
    old = size = epoch = 0
    proof, root, origin, text, signatures = (), b"", b"", b"", ()

class Witness:
    other_root_status, checks_every_signature, knows_epochs = 409, False, True
    proof_limit, line_limit = 63, 64

    def __init__(self, log_key, signer):
        self.log_key, self.signer, self.lock = log_key, signer, threading.Lock()
        self.state = State()

    def answer(self, method, body):
        """The status, content type and body of the answer."""
        try:
            if method != "POST":
                raise Refusal(405)
            request = self.read(body)
            self.check_origin(request)
            self.check_signatures(request)
            with self.lock:
                self.check_and_store(request)
            return 200, "text/plain", self.cosign(request)
        except Refusal as refusal:
            return refusal.answer

    def check_and_store(self, request):
        state = self.latest(request)
        self.check_old_size(request, state)
        self.check_root(request, state)
        self.check_proof(request, state)
        self.state = State(request.size, request.root, request.epoch)

    # Reading

    def read(self, body):
        opening, separator, note = body.partition(b"\n\n")
        lines = opening.split(b"\n")
        if not separator or not lines[0].startswith(b"old "):
            raise Refusal(400)
        request = Request()
        request.old = self.decimal(lines[0][4:])
        request.proof = [self.hash(line) for line in lines[1:]]
        if len(request.proof) > self.proof_limit:
            raise Refusal(400)
        self.read_note(request, note)
        return request

    def decimal(self, digits):
        if not DECIMAL.fullmatch(digits) or int(digits) > LARGEST:
            raise Refusal(400)
        return int(digits)

    def hash(self, line):
        decoded = decode64(line)
        if decoded is None or len(decoded) != 32:
            raise Refusal(400)
        return decoded

    def read_note(self, request, note):
        text, separator, lines = note.rpartition(b"\n\n")
        if not separator or not lines.endswith(b"\n") or not self.is_plain(note):
            raise Refusal(400)
        request.text = text + b"\n"
        request.signatures = [read_line(line.decode()) for line in lines[:-1].split(b"\n")]
        if None in request.signatures or len(request.signatures) > self.line_limit:
            raise Refusal(400)
        fields = text.split(b"\n")
        if len(fields) < 3 or not all(fields):
            raise Refusal(400)
        request.origin, request.size, request.root = fields[0], self.decimal(fields[1]), self.hash(fields[2])
        request.epoch = self.epoch_of(fields[3:]) if self.knows_epochs else 0

    def is_plain(self, note):
        try:
            return not any(character < " " and character != "\n" for character in note.decode())
        except UnicodeDecodeError:
            return False

    def epoch_of(self, lines):
        return next((int(match[1]) for match in map(EPOCH.fullmatch, lines) if match), 0)

    # Checking

    def check_origin(self, request):
        if request.origin != self.log_key.name.encode():
            raise Refusal(404)

    def check_signatures(self, request):
        verified = [self.verifies(request.text, signature) for name, identifier, signature in request.signatures
                    if (name, identifier) == (self.log_key.name, self.log_key.identifier)]
        if not any(verified) or self.checks_every_signature and not all(verified):
            raise Refusal(403)

    def verifies(self, text, signature):
        return ed25519.verify(self.log_key.public, text, signature)

    def latest(self, request):
        """The state that the request continues. A higher epoch continues an empty tree."""
        if request.epoch < self.state.epoch:
            raise self.conflict(request, self.state)
        return State(epoch=request.epoch) if request.epoch > self.state.epoch else self.state

    def check_old_size(self, request, state):
        if request.old > request.size:
            raise Refusal(400)
        if request.old != state.size:
            raise self.conflict(request, state)

    def conflict(self, request, state):
        return Refusal(409, "text/x.tlog.size", b"%d\n" % state.size)

    def check_root(self, request, state):
        if request.size == 0 and request.root != hashlib.sha256(b"").digest():
            raise Refusal(self.other_root_status)
        if request.size == state.size and state.root is not None and request.root != state.root:
            raise Refusal(self.other_root_status)

    def check_proof(self, request, state):
        if not self.is_consistent(request.proof, state.size, state.root, request.size, request.root):
            raise Refusal(422)

    def is_consistent(self, proof, old, old_root, size, root):
        """RFC 9162, section 2.1.4.2."""
        if old == 0 or old == size:
            return not proof
        path = [old_root, *proof] if old & old - 1 == 0 else list(proof)
        if not path or not proof:
            return False
        first, last = old - 1, size - 1
        while first & 1:
            first, last = first >> 1, last >> 1
        old_hash = new_hash = path[0]
        for step in path[1:]:
            if last == 0:
                return False
            if first & 1 or first == last:
                old_hash, new_hash = inner(step, old_hash), inner(step, new_hash)
                while first and not first & 1:
                    first, last = first >> 1, last >> 1
            else:
                new_hash = inner(new_hash, step)
            first, last = first >> 1, last >> 1
        return last == 0 and self.are_roots(old_hash, old_root, new_hash, root)

    def are_roots(self, old_hash, old_root, new_hash, root):
        return old_hash == old_root and new_hash == root

    # Cosigning

    def cosign(self, request):
        return self.signer.cosignature_line(request.text, self.now())

    def now(self):
        return int(time.time())

    # Connections

    def opened(self):
        """A connection begins."""

    def closed(self):
        """A connection ends."""

def inner(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()

class Connection(http.server.BaseHTTPRequestHandler):
    protocol_version, wbufsize, timeout = "HTTP/1.1", -1, 60

    def setup(self):
        super().setup()
        self.server.witness.opened()

    def finish(self):
        self.server.witness.closed()
        super().finish()

    def respond(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status, content_type, content = (404, "text/plain", b"")
        if self.path == "/witness/add-checkpoint":
            status, content_type, content = self.server.witness.answer(self.command, body)
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = respond

    def log_message(self, *_):
        pass

class Server(http.server.ThreadingHTTPServer):
    """Serves a witness on a free port of the loopback interface, until the `with` block ends."""

    def __init__(self, witness):
        super().__init__(("127.0.0.1", 0), Connection)
        self.witness = witness
        self.url = f"http://127.0.0.1:{self.server_address[1]}/witness"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()
