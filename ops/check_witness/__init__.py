"""Checks a running witness by C2SP tlog-witness, tlog-cosignature, tlog-checkpoint and signed-note."""

class Unusable(Exception):
    """Unusable arguments, or a witness that cannot be checked."""
