"""Reads an exported log (docs/log-format.md), one record line after another."""
import json
import sys

from . import Unusable

MEMBERS = ("position", "tenant", "stream", "version", "type", "data")


def as_text(number):
    """Numbers with a fraction stay as written: there is no floating point near money."""
    return number


def read_events(path, lines=None):
    """The events of a file, of standard input (`-`), or of the given lines of bytes."""
    if lines is None:
        lines = open_lines(path)
    for number, line in enumerate(lines, 1):
        try:
            event = json.loads(line, parse_float=as_text)
        except (ValueError, RecursionError):
            raise Unusable(f"{path}: line {number} is not JSON") from None
        if not isinstance(event, dict) or any(name not in event for name in MEMBERS):
            raise Unusable(f"{path}: line {number} is not a record line")
        if not isinstance(event["data"], dict):
            raise Unusable(f"{path}: the data at line {number} is not an object")
        if not (is_whole(event["position"]) and is_whole(event["version"])):
            raise Unusable(f"{path}: line {number} has no position and version")
        yield event


def open_lines(path):
    if path == "-":
        yield from sys.stdin.buffer
    else:
        with open(path, "rb") as file:
            yield from file


def is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


class Order:
    """Finds events that are missing: positions of the log, and versions of its streams, have no gaps."""

    def __init__(self, is_of_one_tenant=False):
        """A log of one tenant lacks the positions of all others."""
        self.is_of_one_tenant = is_of_one_tenant
        self.position = 0
        self.versions = {}

    def check(self, event):
        """What is wrong with the place of the event, as texts."""
        wrong = []
        position, expected = event["position"], self.position + 1
        if position < expected:
            wrong.append(f"position {position}: follows position {self.position}")
        elif position > expected and not self.is_of_one_tenant:
            missing = f"{expected}" if position == expected + 1 else f"{expected} to {position - 1}"
            wrong.append(f"position {missing}: missing")
        self.position = max(position, self.position)
        stream = event["tenant"], event["stream"]
        expected = self.versions.get(stream, 0) + 1
        if event["version"] != expected:
            wrong.append(f"position {position}: {event['stream']} has version {event['version']}, "
                         f"and {expected} was to follow")
        self.versions[stream] = event["version"]
        return wrong
