"""What every part of the GPU helper uses: the error of a call, and text of the host as one line."""


class Failure(Exception):
    """Ends a call with an error of the contract, or a reset with a verdict."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def one_line(text, most=500):
    """The end of a text of the host, without control characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= most else "…" + line[-most:]
