"""Checks of ops/contract beside those of schemathesis."""

import schemathesis

# These need ids that cannot be guessed: of an open anomaly, of a plan, of a proposal. A server without gateways has no key to seal a
# token with, and no plan to start.
NEVER_SUCCEEDS = {
    "POST /v1/anomalies/{id}/acknowledge",
    "POST /v1/exceptions/{id}/approve",
    "POST /v1/proposals/{id}/approve",
    "POST /v1/proposals/{id}/reject",
    "GET /v1/replays/{id}",
    "GET /v1/replays/{id}/items",
    "PUT /v1/transactions/{id}/card-token",
} | {f"POST /v1/replays/{{id}}/{step}" for step in ("approve", "reject", "start", "pause", "resume", "stop")}


@schemathesis.check
def no_fault_of_the_server(ctx, response, case):
    """An answer above 499 is a fault."""
    if response.status_code > 499:
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
