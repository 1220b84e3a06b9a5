"""The recorded world of the self-test: a run of Daybook and its stand-in gateway."""
import copy
import json
import pathlib

SAMPLE = pathlib.Path(__file__).parent / "sample"

class World:
    """The sample's log, books and configuration. A plant changes them; the log's positions stay complete."""

    def __init__(self):
        self.events = [json.loads(line) for line in (SAMPLE / "log.ndjson").read_text("utf-8").splitlines()]
        self.books = [json.loads(line) for line in (SAMPLE / "books.ndjson").read_text("utf-8").splitlines()]
        self.with_witness = False

    def first(self, kind, **members):
        return next(event for event in self.events if event["type"] == kind
                    and all(event["data"].get(name) == value for name, value in members.items()))

    def sale(self):
        return self.first("GatewayCallSent", operation="sale")

    def charge(self):
        return next(line for line in self.books if line.get("reference") == self.sale()["data"]["reference"])

    def move(self, event, before):
        self.events.remove(event)
        self.events.insert(self.events.index(before), event)

    def insert(self, kind, before):
        """A step of the plan, made of its approval."""
        event = dict(copy.deepcopy(self.first("ReplayApproved")), type=kind, data={"reason": "planted"})
        self.events.insert(self.events.index(before), event)

    def write(self, directory):
        versions = {}
        for position, event in enumerate(self.events, 1):
            stream = (event["tenant"], event["stream"])
            versions[stream] = versions.get(stream, 0) + 1
            event["position"], event["version"] = position, versions[stream]
        for name, lines in (("log.ndjson", self.events), ("books.ndjson", self.books)):
            text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
            (directory / name).write_text(text, "utf-8")
