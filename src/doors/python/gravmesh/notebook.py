"""What a notebook shows of a run: the live page beside its cell by anywidget, or a picture."""

import base64
import functools
import html
import struct
import sys
import zlib

import numpy as np

from .command import HERE, Error

_PIXELS = 400
_DECADES = 3
# From dark to bright.
_COLOURS = np.array([[0, 0, 4], [87, 16, 110], [188, 55, 84], [249, 142, 9], [252, 255, 164]])


def in_notebook():
    return "ipykernel" in sys.modules


def display(shown, **options):
    from IPython.display import display as shows

    return shows(shown, **options)


def bundle(process):
    """What IPython displays of a run that has a live page."""
    try:
        widget = _widget_class()(address=process.address)
    except ImportError:
        return {"text/html": _plain(process), "text/plain": process.address}
    process.widgets.append(widget)
    return widget._repr_mimebundle_()


@functools.cache
def _widget_class():
    import anywidget
    import traitlets

    class Live(anywidget.AnyWidget):
        _esm = HERE / "live.js"
        address = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int(600).tag(sync=True)
        picture = traitlets.Bytes(b"").tag(sync=True)

    return Live


def _plain(process):
    address = html.escape(process.address)
    link = f'<a href="{address}" target="_blank" rel="noreferrer">{address}</a>'
    png = process.picture()
    image = f'<br><img src="data:image/png;base64,{base64.b64encode(png).decode()}">' if png else ""
    return f"{link} (pip install anywidget shows it here){image}"


def picture(folder):
    """PNG of the newest map, or of the newest snapshot's particles face-on, brightness by decades; None before there is one."""
    try:
        density = _newest_map(folder)
    except Error:
        density = None
    if density is None:
        density = _newest_particles(folder)
    return None if density is None else _png(density)


def _newest_map(folder):
    maps = folder.maps
    name = next((name for name in maps if name.startswith("density")), None)
    for index in range(len(maps["Time"]) - 1, -1, -1) if name else ():
        found = maps[name, index]
        if not np.isnan(found).any():  # of those to come
            return found
    return None


def _newest_particles(folder):
    if not len(folder.snapshots):
        return None
    snapshot = folder.snapshots[-1]
    x = snapshot.particles["Coordinates"]
    side = snapshot.box_size
    count, _, _ = np.histogram2d(x[:, 1], x[:, 0], bins=_PIXELS // 4, range=[[0, side], [0, side]])
    return np.kron(count[::-1], np.ones((4, 4)))


def _png(density):
    most = density.max()
    bright = np.zeros_like(density, float)
    if most > 0:
        bright = np.clip(1 + np.log10(np.maximum(density / most, 1e-30)) / _DECADES, 0, 1)
    place = np.linspace(0, 1, len(_COLOURS))
    rgb = np.stack([np.interp(bright, place, _COLOURS[:, k]) for k in range(3)], axis=-1).astype(np.uint8)
    height, width, _ = rgb.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), rgb.reshape(height, -1)], axis=1)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows.tobytes()))
        + chunk(b"IEND", b"")
    )
