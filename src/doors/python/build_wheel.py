"""
`pip install` of this folder: the hooks of PEP 517 by the standard library, so that nothing is downloaded to build with and
nothing is written beside the sources, which an npm package may not allow. The wheel remembers the npm package that it is of.
"""

import base64
import hashlib
import re
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = re.search(
        r'^__version__ = "(.+)"', (HERE / "gravmesh/__init__.py").read_text(encoding="utf-8"), re.MULTILINE
    )[1]
    sources = [path for path in (HERE / "gravmesh").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    contents = {path.relative_to(HERE).as_posix(): path.read_bytes() for path in sources}
    package = HERE.parent.parent.parent
    if (package / "package.json").exists():
        contents["gravmesh/npm_package.txt"] = str(package).encode()
    about = f"gravmesh-{version}.dist-info"
    contents[f"{about}/METADATA"] = f"""Metadata-Version: 2.1
Name: gravmesh
Version: {version}
Summary: Runs of gravmesh, their results, and a worker for AMUSE
License: MIT
Requires-Python: >=3.9
Requires-Dist: numpy
Requires-Dist: h5py
""".encode()
    contents[f"{about}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: gravmesh\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in contents.items()]
    contents[f"{about}/RECORD"] = "\n".join([*record, f"{about}/RECORD,,", ""]).encode()
    name = f"gravmesh-{version}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in contents.items():
            wheel.writestr(path, data)
    return name


def _digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
