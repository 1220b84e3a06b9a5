"""Plays histories: JSON files of events with the legs that each must post.

A history is written as reports: the approval of a sale takes its money. The log has a `Captured` with the id `sale`
after such an approval, so it is added here, behind the request if that comes later.
"""
import glob
import json
import os

from . import Unusable
from .journal import Journal

APPROVALS = {"AuthorizationApproved", "PartiallyApproved"}


# Where a repository that has this tool in `ops` keeps its histories.
OF_REPOSITORY = ("Tests", "PaymentsTests", "Books", "Histories")


def kept_files():
    """The files of histories of the repository that the tool is in; none if it is anywhere else."""
    repository = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    return sorted(glob.glob(os.path.join(glob.escape(repository), *OF_REPOSITORY, "*.json")))


def read_histories(path):
    """The histories of a file: {"name", "why", "events": [{"type", "data", "legs": {"account/part": minor units}}]}."""
    try:
        with open(path, "rb") as file:
            return json.load(file)
    except ValueError:
        raise Unusable(f"{path} is not JSON") from None


def records(history):
    """The record lines of a history as groups, one group for each of its events."""
    requests = [event["type"] for event in history["events"] if event["type"].endswith("Requested")]
    is_sale, pending, is_requested, position = requests[:1] == ["SaleRequested"], [], False, 0
    for event in history["events"]:
        group = [(event["type"], event["data"])]
        is_requested = is_requested or event["type"] == "SaleRequested"
        if is_sale and event["type"] in APPROVALS:
            pending.append(capture_of(event["data"]))
        if is_requested:
            group += pending
            pending = []
        result = []
        for kind, data in group:
            position += 1
            result.append({"position": position, "tenant": "acme", "stream": "transaction/1", "version": position,
                           "type": kind, "data": data})
        yield event, result


def capture_of(approval):
    names = ("amounts", "evidence", "response", "references", "batch")
    return "Captured", {"id": "sale", **{name: approval[name] for name in names if name in approval}}


def named(legs):
    return {f"{account}/{part}" if part else account: amount for (account, part, _), amount in legs.items()}


def play(history):
    """The differences of a history: the number and type of the event, what it must post and what it posts."""
    posted, wrong = [], []
    journal = Journal(observe=lambda event, legs: posted.append(legs))
    for number, (event, group) in enumerate(records(history), 1):
        before = len(posted)
        journal.read(group)
        total = posted[before].less({})
        for legs in posted[before + 1:]:
            total.join(legs)
        if named(total) != event["legs"]:
            wrong.append(f"event {number}, {event['type']}: must post {event['legs']}, posts {named(total)}")
    return wrong + journal.breaches
