"""What ops/contract asks of an answer beside what schemathesis does."""

import json
import urllib.parse
import urllib.request

import schemathesis

# How many events may have come in between an answer and the look at the log that follows it.
MEANWHILE = 50

# Want ids that are not to be guessed: of an anomaly that nobody acknowledged before, of a plan. And a server without gateways
# has nothing to seal a token with, and no plan with anything to start.
NEVER_SUCCEEDS = {
    "POST /v1/anomalies/{id}/acknowledge",
    "GET /v1/replays/{id}",
    "GET /v1/replays/{id}/items",
    "PUT /v1/transactions/{id}/card-token",
} | {f"POST /v1/replays/{{id}}/{step}" for step in ("approve", "reject", "start", "pause", "resume", "stop")}


def log_size(response):
    """How many events are in the log of the server that answered."""
    base = urllib.parse.urlsplit(response.request.url)
    request = urllib.request.Request(f"{base.scheme}://{base.netloc}/v1/log")
    request.add_header("Authorization", response.request.headers["Authorization"])
    return json.load(urllib.request.urlopen(request))["position"]


@schemathesis.check
def no_fault_of_the_server(ctx, response, case):
    """A client that asks to wait for what is not there yet is told so with 503; nothing else may be a server's fault."""
    if response.status_code < 500:
        return
    if response.status_code == 503 and response.json().get("code") == "projection-behind":
        wanted = (case.query or {}).get("min_position", 0)
        if int(wanted) > log_size(response) - MEANWHILE and "retry-after" in response.headers:
            return
    raise AssertionError(f"the server answered {response.status_code}")


@schemathesis.check
class EveryOperationSucceeds:
    """An operation that answered nothing but refusals was not tried."""

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
