"""The worker that AMUSE starts: becomes `gravmesh amuse-worker PORT HOST …`."""

import os
import sys
from pathlib import Path

# AMUSE runs this file by its path: the package is the folder around it, and what is beside it hides nothing.
sys.path[0] = str(Path(__file__).resolve().parent.parent)

from gravmesh.command import command  # noqa: E402

words = [*command(), "amuse-worker", *sys.argv[1:]]
os.execvp(words[0], words)
