"""`gravmesh run` started from Python, with its progress and its errors."""

import atexit
import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
import zipfile
from collections.abc import Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np

from . import notebook
from .command import Error, command, reading
from .folder import Folder

_STOPPED = 130
# Between two looks at a line of progress [s].
_REFRESH = 0.2


def toml(value):
    """A value as TOML writes it; tables inline. Raises Error for what TOML hasn't got."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (str, os.PathLike)):
        return json.dumps(os.fspath(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{toml(str(key))} = {toml(one)}' for key, one in value.items())} }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(toml(one) for one in value)}]"
    raise Error(f"a deck has numbers, texts, lists and tables, found {value!r}")


def _overrides(entries, above=()):
    """`mesh={"cells": 64}` and `"mesh.cells": 64` as `mesh.cells=64`; keys of one word with other signs in quotes."""
    found = []
    for key, value in entries.items():
        path = (*above, str(key))
        if isinstance(value, Mapping):
            found += _overrides(value, path)
        else:
            # At the top a key may be a path already; below it names a component, which may have any sign in it.
            parts = [part if k == 0 or part.replace("_", "").isalnum() else toml(part) for k, part in enumerate(path)]
            found.append(f"{'.'.join(parts)}={toml(value)}")
    return found


def _deck_text(deck):
    """TOML of a dict, or of a text; None for a path or a name."""
    if isinstance(deck, Mapping):
        return "".join(f"{toml(str(key))} = {toml(value)}\n" for key, value in deck.items())
    deck = os.fspath(deck)
    return deck if "\n" in deck or ("=" in deck and not os.path.exists(deck)) else None


def _hidden_deck(text):
    """A deck beside what it names, for the time of a run whose stdin has particles."""
    with tempfile.NamedTemporaryFile(dir=".", prefix=".gravmesh-", suffix=".toml", delete=False) as file:
        file.write(text)
    return Path(file.name).absolute()


def _numbers(name, values):
    """As an array; how many of which shape particles have is said by gravmesh."""
    with reading(f"arrays[{name!r}]", "an array of numbers"):
        array = np.asarray(values)
        if array.dtype.hasobject or (array.ndim and array.dtype.kind not in "biuf"):
            raise TypeError(array.dtype)
        return array


def _write_npz(arrays, pipe):
    with zipfile.ZipFile(pipe, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)


class Process:
    """
    gravmesh under way. `events` are those of its `--json` so far (docs/summary.md), `address` that of the page that it serves,
    if any: in a notebook the page shows where this is the last line of a cell.
    """

    def __init__(self, words, stdin=None, *, show=False, on_event=None, then=None):
        """`words`: the command line, --json among them. `stdin`: a function that writes to it; `then` is called at the end."""
        self.events = []
        self.widgets = []
        self.folder = None
        self._error = None
        self._looks = _Progress() if show else None
        self._on_event, self._then = on_event, then
        self._changed = threading.Condition()
        # A session of its own: Ctrl-C reaches it once, by stop().
        self._process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._stderr = []
        threads = [(self._follow,), (self._complaints,)] + ([(self._send, stdin)] if stdin else [])
        self._threads = [threading.Thread(target=one[0], args=one[1:], daemon=True) for one in threads]
        for thread in self._threads:
            thread.start()

    def _send(self, write):
        try:
            with self._process.stdin as stdin:
                write(stdin)
        except BrokenPipeError:
            pass  # it has said why

    def _complaints(self):
        with self._process.stderr as lines:
            self._stderr.extend(line.decode(errors="replace") for line in lines)

    def _follow(self):
        with self._process.stdout as lines:
            for line in lines:
                self._hear(line)
        self._process.wait()
        if self._then:
            self._then()

    def _hear(self, line):
        try:
            event = json.loads(line)
            kind = event["event"]
        except (ValueError, TypeError, KeyError):  # another program's
            self._stderr.append(line.decode(errors="replace"))
            return
        with self._changed:
            self.events.append(event)
            if kind in ("start", "end", "interrupted"):
                self.folder = Path(event["folder"]).absolute()
            if kind == "error":
                self._error = Error(event["message"], event["kind"])
            self._changed.notify_all()
        if self._looks:
            self._looks.show(event)
        if self._on_event and self._error is None:
            try:
                self._on_event(event)
            except BaseException as error:  # wait() raises it
                self._error = error
                self.stop()

    def until(self, kind):
        """Waits for an event of this kind and returns it; None where gravmesh ends without."""
        with self._changed:
            while True:
                ended = not self._threads[0].is_alive()
                found = self._said(kind)
                if found or ended:
                    return found
                self._changed.wait(0.2)

    def _said(self, kind):
        return next((event for event in self.events if event["event"] == kind), None)

    @property
    def address(self):
        found = self._said("live") or self._said("serving")
        return found and found["address"]

    @property
    def running(self):
        return self._process.poll() is None

    def stop(self):
        """As Ctrl-C: a run saves a checkpoint and a report so far, and ends."""
        if self.running and os.name == "nt":
            self._process.terminate()
        elif self.running:
            os.killpg(self._process.pid, signal.SIGINT)

    def picture(self):
        """PNG of the run so far; None before there is anything to see."""
        return Folder(self.folder).picture() if self.folder else None

    @contextmanager
    def _held(self):
        """What ends the wait inside ends gravmesh as well: nothing else holds it."""
        try:
            yield
        except BaseException as error:
            self.stop()
            self._join()
            if not isinstance(error, KeyboardInterrupt):
                raise
            stopped = self._said("interrupted")
            raise KeyboardInterrupt(
                f"the run was stopped{'; go on with: ' + stopped['resume'] if stopped else ''}"
            ) from None

    def _join(self):
        for thread in self._threads:
            while thread.is_alive():
                thread.join(1)  # without an end Windows wouldn't let Ctrl-C in

    def _require_success(self):
        """Raises Error with what gravmesh said."""
        if self._error:
            raise self._error
        if self._process.returncode not in (0, _STOPPED):
            said = (
                "".join(self._stderr).strip()
                or f"gravmesh ended with exit code {self._process.returncode} and said nothing."
            )
            raise Error(said.removeprefix("error: "))

    def _repr_mimebundle_(self, **_):
        return notebook.bundle(self) if self.address else {"text/plain": repr(self)}


class Run(Process):
    """A run under way: `wait()` gives its Folder."""

    def __repr__(self):
        return f"<gravmesh run {self.folder or ''}: {'under way' if self.running else 'ended'}>"

    def wait(self):
        """
        The Folder, when the run has ended or was stopped with a checkpoint (`summary["status"]` says which). Raises Error
        with the text of gravmesh, and KeyboardInterrupt where Ctrl-C came here: the run has saved its state then.
        """
        with self._held():
            self._join()
        for event in self.events:
            if event["event"] == "warning":
                warnings.warn(event["message"], stacklevel=3)
        for widget in self.widgets:
            widget.picture = self.picture() or b""
        self._require_success()
        if self.folder is None:
            raise Error("the run was stopped before it began.", "aborted")
        return Folder(self.folder)


class View(Process):
    """A page that is served until `stop()`, or until Python ends."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        atexit.register(self.stop)

    def __repr__(self):
        return f"<gravmesh view {self.address if self.running else 'ended'}>"


def view(folder=None, *, program=None):
    """
    Serves the page that shows a run's folder, its snapshots to scrub through, its curves and its report; or without one the
    gallery, whose decks run in the browser. Raises Error.
    """
    shown = View([*command(program), "view", "--json", "--", *([os.fspath(folder)] if folder is not None else [])])
    with shown._held():
        if not shown.until("serving"):
            shown._join()
            shown._require_success()
    return shown


def start(
    deck=None,
    *,
    arrays=None,
    out=None,
    backend=None,
    force=False,
    live=False,
    resume=None,
    extensions=(),
    program=None,
    show=True,
    on_event=None,
    **overrides,
):
    """A Run that goes on beside the program; arguments as those of `run`. With `live`, it has a page at its `address`."""
    if (deck is None) == (resume is None):
        raise Error("expected either a deck or resume=FOLDER.")
    stdin = then = None
    with reading("gravmesh.run", "arguments as in docs/python.md", "usage"), ExitStack() as unless_begun:
        text = None if deck is None else _deck_text(deck)
        if text is not None:
            deck, data = "-", text.encode()
            stdin = lambda pipe: pipe.write(data)  # noqa: E731
        if arrays is not None:
            sent = {name: _numbers(name, values) for name, values in arrays.items()}
            stdin = lambda pipe: _write_npz(sent, pipe)  # noqa: E731
            out = "results/stdin" if out is None and text is not None else out
        given = [("resume", resume), ("out", out), ("backend", backend), *(("extension", one) for one in extensions)]
        words = [*command(program), "run", "--json", *(["--force"] if force else []), *(["--live"] if live else [])]
        words += [f"--{option}={os.fspath(value)}" for option, value in given if value is not None]
        if arrays is not None and text is not None:
            deck = _hidden_deck(data)
            then = unless_begun.callback(functools.partial(deck.unlink, missing_ok=True))
        # Behind the "--" nothing is an option, whatever it begins with.
        words += ["--", *([os.fspath(deck)] if resume is None else []), *_overrides(overrides)]
        run = Run(words, stdin, show=show, on_event=on_event, then=then)
        unless_begun.pop_all()
    if live:
        with run._held():
            run.until("live")
    return run


def run(deck=None, **options):
    """
    Runs a deck to its end and returns its Folder.

    deck       path, name of a bundled deck, TOML text, or a dict; the files of text and dict are relative to the current folder
    arrays     particles of the component whose file is "-": positions [N, 3], velocities [N, 3], masses, … by name (docs/formats.md)
    out        result folder (default: results/NAME)
    backend    "auto", "webgpu" or "cpu"
    force      replace the run that the folder holds
    resume     in place of a deck: the folder of a run to go on with
    live       serve the live page as it goes
    extensions JavaScript modules that add models, potentials, columns or outputs
    program    path of gravmesh; otherwise the variable GRAVMESH, the PATH, or the npm package that this one is of
    show       progress in the terminal or the notebook
    on_event   is called with each event as a dict
    others     entries of the deck: mesh={"cells": 64}, particles={"disk": {"count": 1000}}, **{"time.end": 2}

    Raises Error with the text of gravmesh.
    """
    begun = start(deck, **options)
    with begun._held():
        if begun.address and notebook.in_notebook():
            notebook.display(begun)
    return begun.wait()


class _Progress:
    """A line of progress: rewritten in a terminal and in a notebook; nothing where stderr is a file."""

    def __init__(self):
        self._handle = None
        self._next = 0.0
        self._notebook = notebook.in_notebook()
        self._terminal = not self._notebook and sys.stderr is not None and sys.stderr.isatty()

    def show(self, event):
        text = self._text(event)
        stays = event["event"] in ("live", "end", "interrupted", "error")
        now = time.monotonic()
        if text is None or not (stays or now > self._next):
            return
        self._next = now + _REFRESH
        if self._terminal:
            print(f"\r\x1b[K{text}", end="\n" if stays else "", file=sys.stderr, flush=True)
        elif self._notebook:
            self._in_notebook(text)

    def _in_notebook(self, text):
        shown = {"text/plain": text}
        if self._handle is None:
            self._handle = notebook.display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)

    @staticmethod
    def _text(event):
        kind = event["event"]
        if kind == "progress":
            left = event["remainingSeconds"]
            rest = "" if left is None else f", {left:.0f} s left"
            return f"{event['fraction']:4.0%}  time {event['time']:.4g}  step {event['step']}  {event['stepsPerSecond']:.3g} steps/s{rest}"
        if kind in ("preparation", "activity"):
            return f"{event['fraction']:4.0%}  {event['what']}"
        if kind == "live":
            return f"watch it at {event['address']}"
        if kind == "end":
            return f"done in {event['summary']['wallSeconds']:.1f} s: {event['folder']}"
        if kind == "interrupted":
            return f"stopped; go on with: {event['resume']}"
        return "failed" if kind == "error" else None
