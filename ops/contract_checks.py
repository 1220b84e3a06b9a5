"""Checks of ops/contract beside those of schemathesis."""

import json
import urllib.parse
import urllib.request

import schemathesis

# The most events that may be appended between an answer and the reading of the log's size.
APPENDED_MEANWHILE = 50

# These need ids that cannot be guessed: of an open anomaly, of a plan. A server without gateways has no key to seal a
# token with, and no plan to start.
NEVER_SUCCEEDS = {
    "POST /v1/anomalies/{id}/acknowledge",
    "GET /v1/replays/{id}",
    "GET /v1/replays/{id}/items",
    "PUT /v1/transactions/{id}/card-token",
} | {f"POST /v1/replays/{{id}}/{step}" for step in ("approve", "reject", "start", "pause", "resume", "stop")}


def log_size(response):
    """The number of events in the log of the server."""
    base = urllib.parse.urlsplit(response.request.url)
    request = urllib.request.Request(f"{base.scheme}://{base.netloc}/v1/log")
    request.add_header("Authorization", response.request.headers["Authorization"])
    return json.load(urllib.request.urlopen(request))["position"]


@schemathesis.check
def no_fault_of_the_server(ctx, response, case):
    """A 503 is allowed for a `min_position` that is not reached; other answers above 499 are faults."""
    if response.status_code < 500:
        return
    if response.status_code == 503 and response.json().get("code") == "projection-behind":
        wanted = (case.query or {}).get("min_position", 0)
        if int(wanted) > log_size(response) - APPENDED_MEANWHILE and "retry-after" in response.headers:
            return
    raise AssertionError(f"the server answered {response.status_code}")


@schemathesis.check
class EveryOperationSucceeds:
    """Every operation succeeds at least once."""

    def __init__(self):
        self.tried = set()
        self.succeeded = set()

    def after_response(self, ctx, response, case):
        self.tried.add(case.operation.label)
        if 200 <= response.status_code < 300:
            self.succeeded.add(case.operation.label)

    def after_run(self, ctx):
        never = self.tried - self.succeeded - NEVER_SUCCEEDS
        if never:
            raise AssertionError("never answered 2xx: " + ", ".join(sorted(never)))
