"""What ops/contract asks of an answer beside what schemathesis does."""

import schemathesis

# No position of a ledger that was made for the trial is beyond this.
FAR_AHEAD = 10_000

# Wants the id of an anomaly that nobody acknowledged before, which is not to be guessed.
NEVER_SUCCEEDS = {"POST /v1/anomalies/{id}/acknowledge"}


@schemathesis.check
def no_fault_of_the_server(ctx, response, case):
    """A client that asks to wait for what is not there yet is told so with 503; nothing else may be a server's fault."""
    if response.status_code < 500:
        return
    if response.status_code == 503 and response.json().get("code") == "projection-behind":
        wanted = (case.query or {}).get("min_position", 0)
        if int(wanted) > FAR_AHEAD and "retry-after" in response.headers:
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
