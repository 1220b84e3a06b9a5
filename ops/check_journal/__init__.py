"""A second implementation of the journal's balances, from an exported log, without the code of Daybook."""


class Unusable(Exception):
    """The input cannot be read, so nothing was checked."""


class Missing(Exception):
    """An event needs another one that the log does not have."""
