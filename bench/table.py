"""One comparison, and how a group of them is printed."""

from dataclasses import asdict, dataclass


@dataclass
class Row:
    """A measurement of caucus compared with another one. The ratio says how many times better caucus
    is, unless `ratio_is` names another meaning."""

    label: str
    ours: str = ""  # with its unit
    against: str = ""  # the other measurement
    theirs: str = ""
    ratio: float | None = None
    ratio_is: str = "x"  # "x", or "of the bound", ...
    target: float | None = None
    at_most: bool = False  # whether the target is an upper limit
    note: str = ""

    @property
    def met(self):
        if self.target is None or self.ratio is None:
            return None
        return self.ratio <= self.target if self.at_most else self.ratio >= self.target

    def ratio_text(self):
        if self.ratio is None:
            return ""
        return _number(self.ratio) + (
            self.ratio_is if self.ratio_is == "x" else " " + self.ratio_is
        )

    def target_text(self):
        if self.target is None:
            return ""
        return ("at most " if self.at_most else "at least ") + _number(self.target)

    def verdict(self):
        return {None: "", True: "met", False: "NOT MET"}[self.met]

    def as_json(self):
        return {**asdict(self), "met": self.met}


def _number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def print_table(name, rows):
    columns = ("", "caucus", "against", "its", "ratio", "target", "", "")
    lines = [
        (
            row.label,
            row.ours,
            row.against,
            row.theirs,
            row.ratio_text(),
            row.target_text(),
            row.verdict(),
            row.note,
        )
        for row in rows
    ]
    widths = [max(len(line[c]) for line in [columns, *lines]) for c in range(len(columns))]
    print(f"== {name}")
    for line in [columns, *lines]:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())
    print(flush=True)
