"""A second reader of exports of the journal, without the code of Daybook."""


class Unreadable(Exception):
    """A file has something that Daybook does not write."""
