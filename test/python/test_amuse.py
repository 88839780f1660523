"""gravmesh.amuse without AMUSE: what it says; and with stand-ins for AMUSE's classes what it declares and passes on."""

import importlib
import sys
import types
import unittest
from unittest import mock

import gravmesh


class Specification:
    IN, OUT = "takes", "gives"

    def __init__(self):
        self.takes, self.gives = [], []

    def addParameter(self, name, dtype, direction):
        getattr(self, direction).append((name, dtype))


def stand_ins():
    """AMUSE's modules, with classes that note what they are given."""

    def plain(name):
        return type(name, (), {})

    class CodeInterface:
        def __init__(self, name_of_the_worker, **options):
            self.worker, self.options = name_of_the_worker, options

    class GravitationalDynamics:
        def __init__(self, legacy_interface, convert, **_):
            self.legacy_interface, self.said = legacy_interface, []
            self.set_parameter = lambda *words: self.said.append(words)
            self.set_deck = lambda *words: self.said.append(words)

    def module(name, **content):
        made = types.ModuleType(name)
        made.__dict__.update(content)
        return name, made

    gd = {name: plain(name) for name in ("GravitationalDynamicsInterface", "GravityFieldCode", "GravityFieldInterface")}
    stopping = {
        "StoppingConditionInterface": plain("StoppingConditionInterface"),
        "StoppingConditions": lambda code: code,
    }
    core = {
        "CodeInterface": CodeInterface,
        "LegacyFunctionSpecification": Specification,
        "legacy_function": staticmethod,
    }
    literature = type("LiteratureReferencesMixIn", (), {"__init__": lambda self: None})
    return dict(
        [
            *(
                module(name)
                for name in ("amuse", "amuse.community", "amuse.community.interface", "amuse.rfi", "amuse.support")
            ),
            module("amuse.community.interface.gd", GravitationalDynamics=GravitationalDynamics, **gd),
            module("amuse.community.interface.stopping_conditions", **stopping),
            module("amuse.rfi.core", **core),
            module("amuse.support.literature", LiteratureReferencesMixIn=literature),
            module("amuse.units", nbody_system=None),
        ]
    )


def with_stand_ins():
    sys.modules.pop("gravmesh.amuse", None)
    with mock.patch.dict(sys.modules, stand_ins()):
        code = importlib.import_module("gravmesh.amuse")
    return code


LETTERS = {"bool": "b", "int32": "i", "float64": "d", "string": "s"}


def declared():
    """Our own functions: name → letters of what they take and give, for test/cli/python.test.ts."""
    interface = with_stand_ins().GravmeshInterface
    own = {name: value.__func__() for name, value in vars(interface).items() if isinstance(value, staticmethod)}
    return {
        name: {way: "".join(LETTERS[dtype] for _, dtype in getattr(one, way)) for way in ("takes", "gives")}
        for name, one in own.items()
    }


class Amuse(unittest.TestCase):
    def test_what_is_missing(self):
        with mock.patch.dict(sys.modules, {"amuse": None}):
            sys.modules.pop("gravmesh.amuse", None)
            with self.assertRaisesRegex(
                gravmesh.Error, r"^gravmesh\.amuse needs AMUSE \(.*\): pip install amuse-framework"
            ):
                importlib.import_module("gravmesh.amuse")

    def test_how_the_worker_is_started(self):
        code = with_stand_ins().Gravmesh(redirection="none")
        interface = code.legacy_interface
        self.assertTrue(interface.worker.endswith("gravmesh/amuse_worker.py"))
        expected = {
            "channel_type": "sockets",
            "initialize_mpi": False,
            "redirection": "none",
            "interpreter_executable": sys.executable,
        }
        self.assertEqual({name: interface.options[name] for name in expected}, expected)

    def test_decks(self):
        code = with_stand_ins().Gravmesh(deck={"gravity": "mesh", "mesh": {"cells": 64}}, backend="cpu")
        self.assertEqual(code.said, [("gravity", '"mesh"'), ("mesh.cells", "64"), ("backend", "cpu")])
        code = with_stand_ins().Gravmesh(deck='title = "é𝄞"')
        self.assertEqual(code.said, [('title = "\\u00e9\\U0001d11e"',)])
