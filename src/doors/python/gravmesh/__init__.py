"""gravmesh from Python: start runs, read what they leave, and a worker for AMUSE (docs/python.md).

    import gravmesh
    folder = gravmesh.run("plummer", mesh={"cells": 64})
    folder.diagnostics["energy_error"]

Pure Python over the command `gravmesh`; needs NumPy and h5py.
"""

from .command import Error
from .folder import Ensemble, Folder, open
from .running import Run, View, run, start, view
from .tables import Columns, Table

__version__ = "0.1.0"
__all__ = ["Columns", "Ensemble", "Error", "Folder", "Run", "Table", "View", "open", "run", "start", "view"]
