"""The parts of `ops/audit-charges`. They are written from the documents and share no code with Daybook."""

class Unusable(Exception):
    """What was given cannot be checked."""
