"""Prints everything in a snapshot as JSON, read with h5py: an HDF5 reader that shares no code with gravmesh.

usage: h5py_check.py FILE
"""
import json
import sys

import h5py
import numpy as np


def plain(value):
    if isinstance(value, (bytes, np.bytes_)):
        return value.decode("utf-8")
    if isinstance(value, np.ndarray):
        return [plain(v) for v in value.ravel().tolist()] if value.dtype.kind != "S" else [plain(v) for v in value]
    if isinstance(value, np.generic):
        return value.item()
    return value


def attributes(node):
    found = {}
    for name, value in node.attrs.items():
        attribute = node.attrs.get_id(name)
        kind = h5py.check_string_dtype(attribute.dtype)
        found[name] = {
            "dtype": attribute.dtype.str,
            "shape": list(attribute.shape),
            "variable_length": kind is not None and kind.length is None,
            "value": plain(value),
        }
    return found


def describe(file):
    nodes = {}

    def visit(name, node):
        entry = {"attributes": attributes(node)}
        if isinstance(node, h5py.Dataset):
            values = node[...]
            entry.update(
                dtype=node.dtype.str,
                shape=list(node.shape),
                maxshape=list(node.maxshape),
                chunks=list(node.chunks) if node.chunks else None,
                compression=node.compression,
                fletcher32=node.fletcher32,
                first=values[:3].ravel().tolist(),
                last=values[-3:].ravel().tolist(),
                sum=float(values.astype("f8").sum()),
            )
        nodes[name] = entry

    file.visititems(visit)
    return nodes


with h5py.File(sys.argv[1], "r") as snapshot:
    json.dump(describe(snapshot), sys.stdout)
