#!/usr/bin/env python3
"""Writes the report of a sweep: FOLDER/report.html (one page that needs nothing else) and FOLDER/report.md.

    python3 benchmarks/irregularity/report.py FOLDER

Reads FOLDER/sweep.csv and, where they are there, environment.json, losses.csv with its pictures, triton.csv and
counters.csv. Every number of the report comes from one of these or from paper.csv beside this file. A sweep that was
cut short gives the sections that it has rows for, and a list of the missing ones.

Needs pandas, matplotlib and jinja2.
"""

from __future__ import annotations

import argparse
import importlib
import pathlib
import sys

REQUIRED_PACKAGES = ("pandas", "matplotlib", "jinja2")


def missing_package() -> str | None:
    """The first required package that cannot be imported."""
    for name in REQUIRED_PACKAGES:
        try:
            importlib.import_module(name)
        except ImportError:
            return name
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="what cutsdf_irregularity --out wrote into")
    arguments = parser.parse_args()
    package = missing_package()
    if package:
        print(
            f"report.py: needs the Python package {package} (pip install {' '.join(REQUIRED_PACKAGES)})",
            file=sys.stderr,
        )
        return 1
    # The package report/ beside this file: a package is found before a module of the same name.
    from report import reading, writing

    try:
        for path in writing.write_report(arguments.folder):
            print(path)
    except reading.ReportError as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
