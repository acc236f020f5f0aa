"""What checks find. The verdict is the worst finding; a check that cannot run raises Unavailable."""

PASS, WARN, FAIL = "pass", "warn", "fail"
ORDER = [PASS, WARN, FAIL]


class Unavailable(Exception):
    """A check cannot run, which says nothing about the GPUs."""


class Findings:
    def __init__(self):
        self.found = []

    def add(self, severity, text):
        self.found.append((severity, one_line(text)))

    def verdict(self):
        return max((severity for severity, _ in self.found), key=ORDER.index, default=PASS)

    def text(self):
        """The worst first."""
        worst_first = sorted(self.found, key=lambda one: -ORDER.index(one[0]))
        return "; ".join(text for _, text in worst_first)


def one_line(text):
    """Printable and short."""
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())[:300]
