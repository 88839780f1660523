"""Snapshots that no reader should trust, written by h5py into the folder that is named: NAME.hdf5 each.

Every one is a proper snapshot of three particles but for one thing.
"""
import os
import sys
import h5py
import numpy as np

os.chdir(sys.argv[1])
MANY = 60_000_000
whole = np.arange(9.0).reshape(3, 3) + 1


def snapshot(name, change, count=3):
    with h5py.File(name + ".hdf5", "w") as f:
        header = f.create_group("Header")
        header.attrs["NumPart_ThisFile"] = np.array([0, count, 0, 0, 0, 0], "u8")
        header.attrs["MassTable"] = np.array([0, 0.5, 0, 0, 0, 0])
        header.attrs["Time"] = 0.0
        header.attrs["BoxSize"] = 10.0
        group = f.create_group("PartType1")
        group["Coordinates"] = whole
        group["Velocities"] = np.zeros((3, 3), "f4")
        group["ParticleIDs"] = np.arange(3, dtype="u4")
        change(f, group, header)


def coordinates(make):
    """A change that makes PartType1/Coordinates in another way."""
    def change(f, group, header):
        del group["Coordinates"]
        make(f, group)
    return change


def virtual(source):
    layout = h5py.VirtualLayout((3, 3), "f8")
    layout[:, :] = h5py.VirtualSource(source, "x", (3, 3))
    return coordinates(lambda f, g: g.create_virtual_dataset("Coordinates", layout, fillvalue=0.5))


def dataset(**how):
    return coordinates(lambda f, g: g.create_dataset("Coordinates", **how))


def link(to):
    return coordinates(lambda f, g: g.__setitem__("Coordinates", to))


def elsewhere(f, group, header):
    del f["PartType1"]
    f["PartType1"] = h5py.ExternalLink("other.hdf5", "/")


def group_loop(f, group, header):
    del f["PartType1"]
    f["PartType1"] = h5py.SoftLink("/PartType1")


def filtered(f, group):
    """With a filter that no library has, marked as optional: it is written all the same."""
    how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    how.set_chunk((3, 3))
    how.set_filter(32001, h5py.h5z.FLAG_OPTIONAL, (1, 2))
    space = h5py.h5s.create_simple((3, 3))
    h5py.h5d.create(group.id, b"Coordinates", h5py.h5t.NATIVE_DOUBLE, space, how).write(
        h5py.h5s.ALL, h5py.h5s.ALL, whole)


def declared(**how):
    def change(f, group, header):
        for name, shape, kind in (("Coordinates", (MANY, 3), "f8"), ("Velocities", (MANY, 3), "f4"),
                                  ("ParticleIDs", (MANY,), "u4")):
            del group[name]
            group.create_dataset(name, shape, kind, **how)
    return change


def ids(values, kind):
    def change(f, group, header):
        del group["ParticleIDs"]
        group["ParticleIDs"] = np.array(values, kind)
    return change


def attribute(name, value):
    return lambda f, group, header: header.attrs.__setitem__(name, value)


with h5py.File("other.hdf5", "w") as other:
    other["x"] = np.ones((3, 3))
    other.create_group("Coordinates")

snapshot("sound", lambda f, group, header: None)
snapshot("inner-link", coordinates(lambda f, g: (f.__setitem__("x", whole), g.__setitem__("Coordinates", h5py.SoftLink("/x")))))
snapshot("external-storage", dataset(shape=(3, 3), dtype="f8", external=[("/etc/passwd", 0, 72)]))
snapshot("external-link", link(h5py.ExternalLink("other.hdf5", "/x")))
snapshot("external-group", elsewhere)
snapshot("link-loop", link(h5py.SoftLink("/PartType1/Coordinates")))
snapshot("group-loop", group_loop)
snapshot("virtual", virtual("nowhere.hdf5"))
snapshot("virtual-there", virtual("other.hdf5"))
snapshot("lzf", dataset(data=whole, compression="lzf"))
snapshot("unknown-filter", coordinates(filtered))
snapshot("booleans", dataset(data=np.ones((3, 3), bool)))
snapshot("text", dataset(data=np.full((3, 3), b"abc")))
snapshot("half-floats", dataset(data=np.ones((3, 3), "f2")))
snapshot("never-written", declared(chunks=True), MANY)
snapshot("never-written-flat", declared(), MANY)
snapshot("never-written-gzip", declared(chunks=True, compression="gzip"), MANY)
snapshot("one-chunk", coordinates(lambda f, g: g.create_dataset("Coordinates", (3, 3), "f8", maxshape=(None, 3),
                                                                chunks=(20_000_000, 3), compression="gzip")))
snapshot("too-many", lambda f, group, header: None, 2**50)
snapshot("negative-count", attribute("NumPart_ThisFile", np.array([0, -3, 0, 0, 0, 0], "i8")))
snapshot("nan-time", attribute("Time", np.nan))
snapshot("nan-mass", attribute("MassTable", np.array([0, np.nan, 0, 0, 0, 0])))
snapshot("uneven-box", attribute("BoxSize", np.array([10.0, 10.0, 20.0])))
snapshot("nan-velocity", lambda f, group, header: group["Velocities"].write_direct(
    np.array([[0, 0, 0], [0, np.nan, 0], [0, 0, 0]], "f4")))
snapshot("repeated-ids", ids([7, 9, 7], "u8"))
snapshot("nan-ids", ids([1, np.nan, 3], "f8"))
snapshot("negative-ids", ids([1, -2, 3], "i8"))
snapshot("unit", attribute("UnitLength_in_cm", 1e300))
snapshot("nan-unit", attribute("UnitMass_in_g", np.nan))
snapshot("odd-attributes", lambda f, group, header: (
    header.attrs.__setitem__("half", np.float16(1)),
    header.attrs.__setitem__("record", np.zeros(2, [("a", "f4"), ("b", "i2")])),
    header.attrs.__setitem__("names", ["a", "b"])))

# Checksums, as our own files have them, and one bit of the data turned.
snapshot("checksums", dataset(data=whole, chunks=(3, 3), fletcher32=True))
turned = bytearray(open("checksums.hdf5", "rb").read())
turned[turned.rindex(whole.tobytes()) + 40] ^= 1
open("flipped.hdf5", "wb").write(turned)
