"""Runs the vendor's tools, each with a deadline."""

import json
import shutil
import subprocess

from findings import Unavailable, one_line

# Answers that are asked for again and again.
SHORT = 60


def has_tool(name):
    return shutil.which(name) is not None


def run(words, seconds=SHORT):
    """Its exit code and what it printed. Raises Unavailable if it did not start or end."""
    try:
        ended = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False, encoding="utf-8",
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{words[0]} did not end within {seconds:g} seconds") from None
    except OSError as problem:
        raise Unavailable(f"{words[0]} did not start: {problem.strerror}") from None
    return ended.returncode, ended.stdout, ended.stderr


def answer(words, seconds=SHORT):
    """What it printed. Raises Unavailable if it failed."""
    code, out, errors = run(words, seconds)
    if code != 0:
        raise Unavailable(f"{' '.join(words)} ended with {code}: {one_line(errors or out)}")
    return out


def json_answer(words, seconds=SHORT):
    return parsed(words[0], answer(words, seconds))


def parsed(tool, text):
    """JSON, after the lines that some versions print before it. Raises Unavailable if there is none."""
    starts = [start for start in (text.find("{"), text.find("[")) if start >= 0]
    try:
        return json.loads(text[min(starts):]) if starts else json.loads(text)
    except ValueError:
        raise Unavailable(f"{tool} printed no JSON: {one_line(text)}") from None


def dictionaries(value):
    """Every object in a JSON value, at any depth: where tools put their results changes between versions."""
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from dictionaries(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from dictionaries(inner)
