"""
gravmesh as a code of AMUSE (docs/amuse.md): `Gravmesh`, with AMUSE's own functions for gravitational dynamics and gravity
fields, and with decks. Needs AMUSE, on its sockets channel.

    from gravmesh.amuse import Gravmesh
    galaxy = Gravmesh(converter, deck={"gravity": "mesh", "box": {"size": 40}, "mesh": {"cells": 128}})
"""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from .command import HERE, Error
from .running import _deck_text, _overrides

try:
    from amuse.community.interface.gd import (
        GravitationalDynamics,
        GravitationalDynamicsInterface,
        GravityFieldCode,
        GravityFieldInterface,
    )
    from amuse.community.interface.stopping_conditions import StoppingConditionInterface, StoppingConditions
    from amuse.rfi.core import CodeInterface, LegacyFunctionSpecification, legacy_function
    from amuse.support.literature import LiteratureReferencesMixIn
    from amuse.units import nbody_system
except ImportError as cause:
    raise Error(
        f"gravmesh.amuse needs AMUSE ({cause}): pip install amuse-framework, see https://amuse.readthedocs.io."
    ) from cause


def _function(called, takes=(), gives=()):
    """A remote function by its name and its arguments, name and type each."""

    def specified():
        specification = LegacyFunctionSpecification()
        specification.can_handle_array = all(dtype != "string" for _, dtype in takes)
        for name, dtype in takes:
            specification.addParameter(name, dtype=dtype, direction=specification.IN)
        for name, dtype in gives:
            specification.addParameter(name, dtype=dtype, direction=specification.OUT)
        specification.result_type = "int32"
        return specification

    specified.__name__ = called
    return legacy_function(specified)


class GravmeshInterface(
    CodeInterface,
    LiteratureReferencesMixIn,
    GravitationalDynamicsInterface,
    GravityFieldInterface,
    StoppingConditionInterface,
):
    """
    Particle-mesh gravity on any GPU, and direct sums.

        .. [#] Aubert, D., Amini, M. & David, R. 2009, A Particle-Mesh Integrator for Galactic Dynamics Powered by GPGPUs, ICCS 2009
        .. [#] Fujii, M., Iwasawa, M., Funato, Y. & Makino, J. 2007, PASJ, 59, 1095 (BRIDGE)
    """

    def __init__(self, program=None, **options):
        if program is not None:
            os.environ["GRAVMESH"] = os.fspath(program)
        settings = {"channel_type": "sockets", "initialize_mpi": False, "check_worker_location": False, **options}
        worker = str(HERE / "amuse_worker.py")
        CodeInterface.__init__(self, name_of_the_worker=worker, interpreter_executable=sys.executable, **settings)
        LiteratureReferencesMixIn.__init__(self)

    set_deck = _function("set_deck", takes=[("deck", "string")])
    set_parameter = _function("set_parameter", takes=[("key", "string"), ("value", "string")])
    get_parameter = _function("get_parameter", takes=[("key", "string")], gives=[("value", "string")])
    set_time_step = _function("set_time_step", takes=[("time_step", "float64")])
    get_is_time_reversed_allowed = _function("get_is_time_reversed_allowed", gives=[("value", "bool")])
    set_is_time_reversed_allowed = _function("set_is_time_reversed_allowed", takes=[("value", "bool")])
    get_backend = _function("get_backend", gives=[("backend", "string")])
    draw_particles = _function("draw_particles", gives=[("first", "int32"), ("count", "int32")])


def _ascii(text):
    """AMUSE counts a text's letters as bytes: what isn't ASCII as TOML writes it otherwise."""
    return re.sub(
        r"[^\x00-\x7f]",
        lambda found: f"\\u{ord(found[0]):04x}" if ord(found[0]) < 0x10000 else f"\\U{ord(found[0]):08x}",
        text,
    )


class Gravmesh(GravitationalDynamics, GravityFieldCode):
    """
    convert    converter of N-body units, or None
    deck       a path or TOML text of a whole deck, which needs no particles; or a dict of entries. Without one, direct sums
    backend    "auto", "webgpu" or "cpu"
    program    path of gravmesh; otherwise as for gravmesh.run
    options    AMUSE's own

    `code.draw()` adds the particles of the deck's own models.
    """

    def __init__(self, convert=None, deck=None, backend=None, **options):
        self.stopping_conditions = StoppingConditions(self)
        GravitationalDynamics.__init__(self, GravmeshInterface(**options), convert, **options)
        if isinstance(deck, Mapping):
            # Not a whole deck: entries on top of the worker's own defaults. P³M is refused without its softening.
            for entry in sorted(_overrides(deck), key=lambda entry: not entry.startswith("p3m.")):
                self.set_parameter(*map(_ascii, entry.split("=", 1)))
        elif deck is not None:
            self.set_deck(_ascii(_deck_text(deck) or Path(deck).read_text(encoding="utf-8")))
        if backend is not None:
            self.set_parameter("backend", backend)

    def draw(self):
        """Adds the particles that the deck itself has, and returns them."""
        first, count = self.draw_particles()
        self.particles._private.attribute_storage._add_indices(range(first, first + count))
        return self.particles[-count:]

    def define_state(self, handler):
        GravitationalDynamics.define_state(self, handler)
        GravityFieldCode.define_state(self, handler)
        self.stopping_conditions.define_state(handler)
        handler.add_method("EDIT", "draw_particles")
        handler.add_transition("RUN", "UPDATE", "draw_particles", False)
        handler.add_method("RUN", "get_backend")
        handler.add_method("RUN", "get_acceleration")

    def define_parameters(self, handler):
        # Without defaults, which AMUSE would set over what the deck says.
        step = "longest step of the mesh, largest block of direct sums"
        handler.add_method_parameter("get_time_step", "set_time_step", "timestep", step)
        softening = "square of the softening of direct sums; a mesh softens by its cells"
        handler.add_method_parameter("get_eps2", "set_eps2", "epsilon_squared", softening)
        handler.add_boolean_parameter(
            "get_is_time_reversed_allowed",
            "set_is_time_reversed_allowed",
            "is_time_reversed_allowed",
            "whether an evolution to an earlier time goes there",
            False,
        )
        handler.add_method_parameter(
            "get_begin_time", "set_begin_time", "begin_time", "time at which the code begins", 0 | nbody_system.time
        )
        self.stopping_conditions.define_parameters(handler)

    def define_methods(self, handler):
        GravitationalDynamics.define_methods(self, handler)
        handler.add_method("set_time_step", (nbody_system.time,), (handler.ERROR_CODE,))
        handler.add_method("get_eps2", (), (nbody_system.length**2, handler.ERROR_CODE))
        handler.add_method("set_eps2", (nbody_system.length**2,), (handler.ERROR_CODE,))
        handler.add_method("set_deck", (handler.NO_UNIT,), (handler.ERROR_CODE,))
        handler.add_method("set_parameter", (handler.NO_UNIT, handler.NO_UNIT), (handler.ERROR_CODE,))
        handler.add_method("get_parameter", (handler.NO_UNIT,), (handler.NO_UNIT, handler.ERROR_CODE))
        handler.add_method("get_backend", (), (handler.NO_UNIT, handler.ERROR_CODE))
        handler.add_method("draw_particles", (), (handler.NO_UNIT, handler.NO_UNIT, handler.ERROR_CODE))
        self.stopping_conditions.define_methods(handler)

    def define_particle_sets(self, handler):
        GravitationalDynamics.define_particle_sets(self, handler)
        self.stopping_conditions.define_particle_set(handler)
