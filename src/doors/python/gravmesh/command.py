"""Where the command `gravmesh` is."""

import os
import shutil
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Error(Exception):
    """What went wrong, in the words of gravmesh. `kind` is its word for it: usage, scenario, input, io, device, …"""

    def __init__(self, message, kind="usage"):
        super().__init__(message)
        self.kind = kind

    __str__ = Exception.__str__  # KeyError's puts it in quotes


class Absent(Error, KeyError):
    """A name that isn't there."""


@contextmanager
def reading(where, expected="what gravmesh has written there", kind="input"):
    """What goes wrong inside, in a damaged file above all, is an Error that says where; an IndexError is of the caller's index."""
    try:
        yield
    except (Error, IndexError):
        raise
    except Exception as cause:
        raise Error(f"{where}: expected {expected}, found {type(cause).__name__}: {cause}", kind) from cause


def npm_package():
    """The folder of the npm package that this one lies in or was installed from; None where there is neither."""
    beside = HERE.parent.parent.parent.parent
    note = HERE / "npm_package.txt"  # written by build_wheel.py
    found = Path(note.read_text(encoding="utf-8")) if note.exists() else beside
    return found if (found / "dist/bin/gravmesh.js").exists() else None


def command(program=None):
    """
    The words that start gravmesh: `program` or the variable GRAVMESH, each the path of an executable or of gravmesh.js; or
    `gravmesh` on the PATH; or the npm package that this one belongs to, with Node. Raises Error with what to install.
    """
    named = program or os.environ.get("GRAVMESH")
    if named:
        named = os.path.expanduser(os.fspath(named))
        if not named.endswith((".js", ".mjs")):
            found = shutil.which(named)
            if not found:
                raise Error(f"{named}: expected the path of gravmesh, found no program there.")
            return [found]
        if not os.path.exists(named):
            raise Error(f"{named}: expected gravmesh.js, found no such file.")
        return [_node(), named]
    found = shutil.which("gravmesh")
    if found:
        return [found]
    package = npm_package()
    node = _node()
    if package is None:
        raise Error("gravmesh isn't installed: npm install -g gravmesh, or set GRAVMESH to its path.")
    return [node, str(package / "dist/bin/gravmesh.js")]


def _node():
    found = shutil.which("node")
    if not found:
        raise Error(
            "Node.js is missing, which gravmesh runs on: install version 20 or later from https://nodejs.org, then npm install -g gravmesh."
        )
    return found
