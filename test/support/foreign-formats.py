"""Eight particles in files of other codes' formats, written from the formats' descriptions into the folder that is named.

No code is shared with gravmesh: struct and numpy write bytes, numpy its own formats, h5py HDF5. Particle i, in the order of
the files: position (3i + k)/8, velocity -(3i + k)/16 along axis k, mass (4 + i)/4; types gas 2, halo 3, disk 2, stars 1.
"""
import os
import struct
import sys

import h5py
import numpy as np

os.chdir(sys.argv[1])
N = 8
COUNTS = [2, 3, 2, 0, 1, 0]
TYPES = np.repeat(np.arange(6), COUNTS)
X = (np.arange(3 * N) / 8).reshape(N, 3)
V = -(np.arange(3 * N) / 16).reshape(N, 3)
M = (4 + np.arange(N)) / 4
IDS = np.array([3, 0, 5, 2, 7, 4, 1, 6])
A = 0.25


# --- GADGET binary: users' guide to GADGET-2, section 6 ---

def header(order, counts=COUNTS, table=(0,) * 6, time=0.5, redshift=0, total=None, files=1, box=10, cosmology=(0, 0, 1)):
    total = counts if total is None else total
    data = struct.pack(order + "6i6ddd2i6I2i4d2i6I", *counts, *table, time, redshift, 0, 0, *total, 0, files, box, *cosmology,
                       0, 0, *[0] * 6)
    return data + bytes(256 - len(data))


def header4(order):
    return struct.pack(order + "6q6q6d3diI", *COUNTS, *COUNTS, *[0] * 6, 0.5, 0, 10, 1, 0)


def block(order, label, data, fmt):
    name = struct.pack(order + "i4sii", 8, label.encode(), len(data) + 8, 8) if fmt == 2 else b""
    mark = struct.pack(order + "I", len(data))
    return name + mark + data + mark


def gadget(name, fmt=1, order="<", real="f4", ids="u4", rows=slice(None), head=None, masses=None, extra=b"", wide=0):
    masses = M[rows] if masses is None else masses
    data = block(order, "HEAD", header(order) if head is None else head, fmt)
    data += block(order, "POS ", X[rows].astype(order + real).tobytes(), fmt)
    data += block(order, "VEL ", V[rows].astype(order + real).tobytes(), fmt)
    data += block(order, "ID  ", (IDS[rows].astype("u8") + wide).astype(order + ids).tobytes(), fmt)
    if len(masses):
        data += block(order, "MASS", masses.astype(order + real).tobytes(), fmt)
    with open(name, "wb") as f:
        f.write(data + extra)


for order, endian in (("<", "little"), (">", "big")):
    for fmt in (1, 2):
        gadget(f"gadget{fmt}-{endian}", fmt, order)
gadget("gadget1-double", real="f8", ids="u8", wide=2**40)
gadget("gadget2-gas", 2, ">", extra=block(">", "U   ", np.ones(2, ">f4").tobytes(), 2))
gadget("gadget4-header", head=header4("<"))
# Halo and disk have their mass in the header.
table = [0, 3, 0.125, 0, 0, 0]
own = np.isin(TYPES, (1, 2))
gadget("gadget1-table", head=header("<", table=table), masses=M[~own])
# Comoving: time = a, redshift, cosmology.
expanding = dict(time=A, redshift=1 / A - 1, cosmology=(0.3, 0.7, 0.7), box=10000)
gadget("gadget1-comoving", head=header("<", **expanding))
gadget("gadget1-untold", head=header("<", time=A))
# Two files, types across them.
for part, rows in enumerate((slice(0, 4), slice(4, 8))):
    counts = np.bincount(TYPES[rows], minlength=6).tolist()
    gadget(f"parts.{part}", rows=rows, head=header("<", counts=counts, total=COUNTS, files=2))


# --- TIPSY: tipsydefs.h ---

def tipsy(name, order, pad=True):
    kinds = [0] * 2 + [1] * 3 + [4] * 3  # the disk as stars
    with open(name, "wb") as f:
        f.write(struct.pack(order + "diiiii", 0.5, N, 3, 2, 3, 3))
        if pad:
            f.write(bytes(4))
        for i, kind in enumerate(kinds):
            f.write(struct.pack(order + "7f", M[i], *X[i], *V[i]))
            # gas: rho, temp, hsmooth, metals, phi; dark: eps, phi; star: metals, tform, eps, phi
            f.write(struct.pack(order + "%df" % {0: 5, 1: 2, 4: 4}[kind], *[9] * {0: 5, 1: 2, 4: 4}[kind]))


tipsy("standard.tipsy", ">")
tipsy("native.tipsy", "<")
tipsy("unpadded.tipsy", ">", pad=False)


# --- NEMO: filestruct(5NEMO), snapshot(5NEMO) ---

def item(order, kind, tag, data=b"", dims=()):
    magic = (0o13 << 8) + 0o222 if dims else (0o11 << 8) + 0o222
    text = kind.encode() + b"\0" + (tag.encode() + b"\0" if kind != ")" else b"")
    return struct.pack(order + "h", magic) + text + b"".join(struct.pack(order + "i", d) for d in (*dims, 0) if dims) + data


def nemo_snapshot(order, real="f4", masses=True, split=False, gas=0, time=0.5):
    letter = {"f4": "f", "f8": "d"}[real]
    def array(tag, values):
        return item(order, letter, tag, values.astype(order + real).tobytes(), values.shape)
    particles = item(order, "i", "CoordSystem", struct.pack(order + "i", (1 << 16) | (3 << 8) | 2))
    if masses:
        particles += array("Mass", M)
    if split:
        particles += array("Position", X) + array("Velocity", V)
    else:
        particles += array("PhaseSpace", np.stack([X, V], axis=1))
    parameters = item(order, "i", "Nobj", struct.pack(order + "i", N)) + item(order, "d", "Time", struct.pack(order + "d", time))
    if gas:
        parameters += item(order, "i", "Ngas", struct.pack(order + "i", gas))
    return (item(order, "(", "SnapShot") + item(order, "(", "Parameters") + parameters + item(order, ")", "")
            + item(order, "(", "Particles") + particles + item(order, ")", "") + item(order, ")", ""))


history = b"made by hand\0"
for name, parts in {
    "big.nemo": [item(">", "c", "History", history, (len(history),)), nemo_snapshot(">")],
    "split.nemo": [nemo_snapshot("<", "f8", split=True, gas=2)],
    "series.nemo": [nemo_snapshot("<", time=0.0), nemo_snapshot("<", masses=False, time=0.25)],
}.items():
    with open(name, "wb") as f:
        f.write(b"".join(parts))


# --- Tables ---

flat = np.column_stack([X, V, M])
names = ["x", "y", "z", "vx", "vy", "vz", "mass"]
species = np.array(["gas", "halo", "disk", "bulge", "stars", "black-holes"])[TYPES]
np.savetxt("savetxt.txt", flat, header=" ".join(names))
np.savetxt("bare.txt", flat)
with open("semicolons.csv", "w") as f:
    f.write("ID;Species;X [kpc];Y [kpc];Z [kpc];VX;VY;VZ;M;note\r\n")
    for i in range(N):
        f.write(";".join(map(str, [IDS[i], species[i], *X[i], *V[i], M[i], "n/a"])) + "\r\n")

np.save("array.npy", flat)
np.save("fortran.npy", np.asfortranarray(flat.astype(">f4")))
record = np.zeros(N, np.dtype({"names": ["id", "pos", "vel", "m", "label", "type"],
                               "formats": ["<i8", ("<f4", 3), (">f4", 3), "<f8", "U3", "<i2"],
                               "offsets": [0, 8, 24, 40, 48, 62], "itemsize": 72}))
record["id"], record["pos"], record["m"], record["type"] = IDS, X, M, TYPES
record["vel"] = V
np.save("records.npy", record)
np.savez("stored.npz", pos=X, vel=V.astype("f4"), mass=M, id=IDS, ptype=TYPES, Time=0.5, BoxSize=10.0)
np.savez_compressed("deflated.npz", **{n: flat[:, k] for k, n in enumerate(names) if n != "mass"}, mass=np.float64(1.5))


# --- HDF5 of other codes ---

def hdf5(name, attributes, more=(), real="f8", velocity_attributes=None):
    with h5py.File(name, "w") as f:
        head = f.create_group("Header")
        head.attrs["NumPart_ThisFile"] = np.array(COUNTS, "i4")
        head.attrs["NumPart_Total"] = np.array(COUNTS, "u4")
        head.attrs["MassTable"] = np.zeros(6)
        for key, value in attributes.items():
            head.attrs[key] = value
        for group, values in more:
            for key, value in values.items():
                f.require_group(group).attrs[key] = value
        for kind in range(6):
            rows = TYPES == kind
            if not rows.any():
                continue
            group = f.create_group(f"PartType{kind}")
            group["Coordinates"] = X[rows].astype(real)
            group["Velocities"] = V[rows].astype("f4")
            for key, value in (velocity_attributes or {}).items():
                group["Velocities"].attrs[key] = value
            group["Masses"] = M[rows]
            group["ParticleIDs"] = IDS[rows].astype("u8")


at = {"Time": A, "Redshift": 1 / A - 1, "NumFilesPerSnapshot": 1, "BoxSize": 10000.0}
matter = {"Omega0": 0.3, "OmegaLambda": 0.7, "HubbleParam": 0.7}
hdf5("gadget2.hdf5", {**at, **matter})
hdf5("arepo.hdf5", {**at, **matter}, [("Parameters", {"ComovingIntegrationOn": 1, "UnitLength_in_cm": 3.085678e21})],
     velocity_attributes={"a_scaling": 0.5, "h_scaling": 0.0})
hdf5("scaled.hdf5", {**at, **matter}, [("Parameters", {"ComovingIntegrationOn": 1})], velocity_attributes={"a_scaling": 1.0})
hdf5("mp-gadget.hdf5", {**at, **matter, "UsePeculiarVelocity": 1})
hdf5("mp-gadget-old.hdf5", {**at, **matter, "UsePeculiarVelocity": 0})
one = lambda value: np.array([value])
hdf5("swift.hdf5", {"Code": np.bytes_("SWIFT"), "BoxSize": np.full(3, 10.0), "Dimension": one(3), "Time": one(0.01),
                    "Redshift": one(1 / A - 1), "Scale-factor": one(A), "NumFilesPerSnapshot": one(1)},
     [("Units", {"Unit length in cgs (U_L)": one(3.08567758e24), "Unit mass in cgs (U_M)": one(1.98841e43),
                 "Unit time in cgs (U_t)": one(3.08567758e19)}),
      ("Cosmology", {"Cosmological run": one(1), "Scale-factor": one(A), "Redshift": one(1 / A - 1), "Omega_m": one(0.3),
                     "Omega_lambda": one(0.7), "h": one(0.7)})],
     velocity_attributes={"a-scale exponent": one(0.0)})
