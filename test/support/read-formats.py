"""What numpy, h5py and struct find in files that gravmesh wrote, as JSON: formats as their descriptions have them.

usage: read-formats.py FILE FORMAT
"""
import json
import struct
import sys

import numpy as np

name, kind = sys.argv[1:]
AXES = ["x", "y", "z"]


def columns(x, v, m, ids=None, types=None, **more):
    found = {"x": np.asarray(x, "f8"), "v": np.asarray(v, "f8"), "m": np.asarray(m, "f8")}
    found = {key: value.ravel().tolist() for key, value in found.items()}
    found["ids"] = None if ids is None else [int(i) for i in ids]
    found["types"] = None if types is None else [int(t) for t in types]
    return {**found, **more}


def gadget(fmt):
    data = open(name, "rb").read()
    blocks, at = [], 0
    while at < len(data):
        (n,) = struct.unpack_from("<I", data, at)
        assert struct.unpack_from("<I", data, at + 4 + n)[0] == n
        blocks.append(data[at + 4:at + 4 + n])
        at += n + 8
    if fmt == 2:
        names, blocks = blocks[::2], blocks[1::2]
        assert [struct.unpack("<4sI", one)[1] for one in names] == [len(b) + 8 for b in blocks]
        assert [one[:4] for one in names][:4] == [b"HEAD", b"POS ", b"VEL ", b"ID  "]
    head = struct.unpack_from("<6i6ddd2i6I2i4d2i6I2i", blocks[0])
    assert len(blocks[0]) == 256
    counts, table = head[:6], head[6:12]
    n = sum(counts)
    types = np.repeat(np.arange(6), counts)
    real = lambda block, count: np.frombuffer(block, "<f%d" % (len(block) // count))
    m = np.array(table)[types]
    own = m == 0
    if own.any():
        m[own] = real(blocks[4], own.sum())
    ids = np.frombuffer(blocks[3], "<u%d" % (len(blocks[3]) // n))
    return columns(real(blocks[1], 3 * n), real(blocks[2], 3 * n), m, ids, types, time=head[12], box=head[24], total=head[16:22],
                   double=head[37], redshift=head[13], cosmology=head[25:28])


def tipsy():
    data = open(name, "rb").read()
    time, n, ndim, gas, dark, star = struct.unpack_from(">diiiii", data)
    rows, at = [], 32
    for count, floats in ((gas, 12), (dark, 9), (star, 11)):
        for _ in range(count):
            rows.append(struct.unpack_from(">%df" % floats, data, at)[:7])
            at += 4 * floats
    assert at == len(data) and n == len(rows) and ndim == 3
    rows = np.array(rows)
    return columns(rows[:, 1:4], rows[:, 4:7], rows[:, 0], None, [0] * gas + [1] * dark + [4] * star, time=time)


def npy():
    t = np.load(name)
    stack = lambda names: np.column_stack([t[n] for n in names])
    ids = t["id"] if "id" in t.dtype.names else None
    return columns(stack(AXES), stack(["v" + a for a in AXES]), t["mass"], ids, t["type"], dtype=str(t.dtype.descr))


def npz():
    with np.load(name) as t:
        single = {key: t[key].item() for key in t.files if t[key].shape == ()}
        return columns(t["positions"], t["velocities"], t["masses"], t["ids"] if "ids" in t.files else None, t["types"], **single)


def csv():
    t = np.genfromtxt(name, delimiter=",", names=True, dtype=None, encoding="utf-8", comments="#")
    stack = lambda names: np.column_stack([t[n] for n in names])
    return columns(stack(AXES), stack(["v" + a for a in AXES]), t["mass"], t["id"] if "id" in t.dtype.names else None, None,
                   species=t["species"].tolist())


def hdf5():
    import h5py
    with h5py.File(name) as f:
        counts = f["Header"].attrs["NumPart_ThisFile"]
        table = f["Header"].attrs["MassTable"]
        groups = [(t, f[f"PartType{t}"]) for t in range(6) if counts[t]]
        read = lambda key: np.concatenate([g[key][...] for _, g in groups])
        m = np.concatenate([g["Masses"][...] if "Masses" in g else np.full(counts[t], table[t]) for t, g in groups])
        ids = read("ParticleIDs") if "ParticleIDs" in groups[0][1] else None
        kinds = {key: groups[0][1][key].dtype.str for key in groups[0][1]}
        said = {**dict(f["Header"].attrs), **dict(f["Parameters"].attrs)}
        said = {key: value.item() for key, value in said.items() if np.shape(value) == () and not isinstance(value, (bytes, str))}
        said = {key: value for key, value in said.items() if not isinstance(value, (bytes, str)) and np.isfinite(value)}
        return columns(read("Coordinates"), read("Velocities"), m, ids, np.repeat(np.arange(6), counts.astype(int)), kinds=kinds, said=said)


readers = {"gadget-1": lambda: gadget(1), "gadget-2": lambda: gadget(2), "gadget-hdf5": hdf5}
json.dump(readers.get(kind, globals().get(kind))(), sys.stdout)
