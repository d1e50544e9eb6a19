"""A text of unknown origin as HTML: escaped, formulas typeset, hidden characters shown, what is too long cut.

Nothing of the text reaches the page as markup. Only HTML tables inside benchmark questions are rebuilt, cell by cell,
when asked for. Line breaks are the style sheet's business.
"""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser

from markupsafe import Markup

from cfe_local.report.characters import visible
from cfe_local.report.formulas import Formula, split_formulas
from cfe_local.report.mathml import Typesetter

_TABLE = re.compile(r"<table\b[^>]{0,200}>.{0,20000}?</table>", re.IGNORECASE | re.DOTALL)
_FIRST_BREAK = re.compile(r"\A[ \t]*\n?[ \t]*")
_LAST_BREAK = re.compile(r"[ \t]*\n?[ \t]*\Z")
_CELL_TAGS = frozenset({"tr", "td", "th"})


def cut(text: str, limit: int) -> tuple[str, int]:
    """The first ``limit`` characters, and how many are left out."""
    return text[:limit], max(0, len(text) - limit)


def prose(text: str, typesetter: Typesetter) -> Markup:
    """Text with its formulas typeset; a formula that cannot be read stays as it was written, marked as such.

    A display formula is a line of its own already, so the line break on either side of it goes.
    """
    pieces: list[str] = []
    after_display = False
    for piece in split_formulas(text):
        if isinstance(piece, Formula):
            if piece.display and pieces:
                pieces[-1] = _LAST_BREAK.sub("", pieces[-1])
            pieces.append(formula(piece, typesetter))
            after_display = piece.display
        else:
            plain = _FIRST_BREAK.sub("", piece.text) if after_display else piece.text
            pieces.append(escape(visible(plain)))
            after_display = False
    return Markup("".join(pieces))  # every piece is escaped or sanitised above


def formula(piece: Formula, typesetter: Typesetter) -> str:
    """One formula as MathML, its source as the tool tip, or as source."""
    mathml = typesetter.mathml(piece.latex, display=piece.display)
    if mathml is None:
        return f'<code class="tex">{escape(visible(piece.written))}</code>'
    return f'<span class="display">{mathml}</span>' if piece.display else mathml


def value(text: str, typesetter: Typesetter) -> Markup:
    """A value as typeset as it can be, and its source where that differs."""
    typeset = prose(text, typesetter)
    if "<math" not in typeset:
        return typeset
    return typeset + Markup('<code class="source">{}</code>').format(visible(text))


def prose_with_tables(text: str, typesetter: Typesetter) -> Markup:
    """As `prose`, with ``<table>`` stretches rebuilt from rows and cells alone."""
    pieces = []
    position = 0
    for match in _TABLE.finditer(text):
        pieces.append(prose(text[position : match.start()], typesetter))
        reader = _TableReader(typesetter)
        reader.feed(match.group())
        pieces.append(reader.table())
        position = match.end()
    pieces.append(prose(text[position:], typesetter))
    return Markup("").join(pieces)


class _TableReader(HTMLParser):
    """Rows and cells of one HTML table; every other tag is shown as text, no attribute but small spans is kept."""

    def __init__(self, typesetter: Typesetter) -> None:
        super().__init__(convert_charrefs=True)
        self._typesetter = typesetter
        self._rows: list[list[tuple[str, str]]] = []
        self._text: list[str] = []
        self._spans = ""
        self._in_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self._rows.append([])
        elif tag in _CELL_TAGS:
            spans = [(key, value) for key, value in attrs if key in ("colspan", "rowspan")]
            self._spans = "".join(f' {key}="{value}"' for key, value in spans if re.fullmatch(r"[1-9]\d?", value or ""))
            self._text = []
            self._in_cell = True
        elif tag not in ("table", "tbody", "thead"):
            self._text.append(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._in_cell:
            if not self._rows:
                self._rows.append([])
            self._rows[-1].append((self._spans, "".join(self._text)))
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        self._text.append(data)

    def table(self) -> Markup:
        """What was read."""
        rows = [
            "<tr>" + "".join(f"<td{spans}>{prose(text, self._typesetter)}</td>" for spans, text in row) + "</tr>"
            for row in self._rows
        ]
        return Markup('<table class="given">' + "".join(rows) + "</table>")  # spans matched, texts escaped above
