"""The report as one HTML page that needs nothing else, and as Markdown beside its figures."""

from __future__ import annotations

import base64
import pathlib
import re
import urllib.parse

import jinja2
import markupsafe

from . import reading, sections
from .document import Figure, Picture, Section
from .paper import Paper
from .study import Study

TEMPLATES = pathlib.Path(__file__).resolve().parent / "templates"
TITLE = "What irregularity costs, measured again"


def write_report(folder: pathlib.Path) -> list[pathlib.Path]:
    """Reads the run in `folder` and writes its report there; returns what was written. Throws ReportError."""
    study = Study(reading.read_run(folder))
    content = sections.all_sections(study, Paper())
    files = {folder / "report.html": as_html(content).encode(), folder / "report.md": as_markdown(content).encode()}
    figures = [block for section in content for block in section.blocks if isinstance(block, Figure)]
    files.update({folder / figure_path(figure): figure.svg for figure in figures})
    try:
        for path, written in reversed(files.items()):  # the pages last: what they name is there
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(written)
    except OSError as error:
        raise reading.ReportError(f"the report cannot be written: {error}") from None
    return list(files)


def as_html(content: list[Section]) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(prose=prose_html, data_uri=data_uri)
    return environment.get_template("report.html.j2").render(title=TITLE, sections=content)


def as_markdown(content: list[Section]) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.filters.update(prose=prose_markdown, cell=cell_markdown, link=link)
    text = environment.get_template("report.md.j2").render(title=TITLE, sections=content)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


def figure_path(figure: Figure) -> pathlib.PurePosixPath:
    """Where a figure lies, relative to the report."""
    return pathlib.PurePosixPath("figures") / f"{figure.stem}.svg"


def prose_html(text: str) -> markupsafe.Markup:
    """Escaped, with `names` as code."""
    escaped = str(markupsafe.escape(text))
    return markupsafe.Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", escaped))


def data_uri(block: Figure | Picture) -> str:
    kind, content = ("svg+xml", block.svg) if isinstance(block, Figure) else ("png", block.content)
    return f"data:image/{kind};base64,{base64.b64encode(content).decode('ascii')}"


def prose_markdown(text: str) -> str:
    """Escapes outside of `names` what Markdown would take as markup."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_<>\[\]])", r"\\\1", part) for part in parts)


def cell_markdown(text: str) -> str:
    """Prose inside of a table."""
    return prose_markdown(text).replace("|", r"\|")


def link(block: Figure | Picture) -> str:
    path = figure_path(block) if isinstance(block, Figure) else block.path
    return urllib.parse.quote(str(path))
