"""Requests to a witness over HTTP."""
import http.client
import urllib.parse

from . import Unusable

TIME_LIMIT = 30
SIZE_TYPE = "text/x.tlog.size"

class Answer:
    """An answer's status, content type and body. The status is 0 if there was none."""

    def __init__(self, status, content_type="", body=b""):
        self.status, self.content_type, self.body = status, content_type, body

    def __str__(self):
        return f"{self.status}" if self.status else f"no answer ({self.body.decode()})"

    @property
    def size(self):
        """The size that a conflict names, if it is written as it must be."""
        digits = self.body[:-1] if len(self.body) < 30 else b""
        if self.status != 409 or self.content_type != SIZE_TYPE or self.body[-1:] != b"\n" or not digits.isdigit():
            return None
        return int(digits) if str(int(digits)).encode() == digits else None

class Wire:
    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise Unusable("the URL is not one of http or https")
        kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
        self.kind, self.host, self.port = kinds[parts.scheme], parts.hostname, parts.port
        self.path = parts.path.rstrip("/") + "/add-checkpoint"

    def connect(self):
        return self.kind(self.host, self.port, timeout=TIME_LIMIT)

    def send(self, body, method="POST"):
        connection = self.connect()
        try:
            connection.request(method, self.path, body)
            return read(connection)
        except (OSError, http.client.HTTPException) as error:
            return Answer(0, body=type(error).__name__.encode())
        finally:
            connection.close()

    def send_together(self, first, bodies):
        """Sends `first` on as many connections as there are bodies, then all bodies without their last byte, and then
        the last bytes one directly after another."""
        connections, answers = [self.connect() for _ in bodies], []
        try:
            for connection in connections:
                connection.request("POST", self.path, first)
                read(connection)
            for connection, body in zip(connections, bodies):
                connection.putrequest("POST", self.path)
                connection.putheader("Content-Length", str(len(body)))
                connection.endheaders(body[:-1])
            for connection, body in zip(connections, bodies):
                connection.send(body[-1:])
            for connection in connections:
                answers.append(read(connection))
        except (OSError, http.client.HTTPException) as error:
            missing = len(bodies) - len(answers)
            answers += [Answer(0, body=type(error).__name__.encode())] * missing
        finally:
            for connection in connections:
                connection.close()
        return answers

def read(connection):
    response = connection.getresponse()
    return Answer(response.status, (response.getheader("Content-Type") or "").strip().lower(), response.read())
