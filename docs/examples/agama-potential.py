"""
Prints the potentials of an Agama INI file as [[potential]] tables of a deck (docs/potentials.md):

    python3 agama-potential.py MWPotential2014.ini >> deck.toml

Of its own units Agama says nothing in the file. They are taken for kpc, km/s and solar masses, and the deck's for
units.system = "galactic", unless --mass says what one unit of the file's mass is in the deck's. A spherical Spheroid becomes
an nfw, a power-law-cutoff, or a spherical-table from 1e-3 to 1e3 scale radii or to 6 cut-off radii.
"""

import argparse
import math
import re


def sections(text):
    """(name, {key in lower case: value}) of each [Potential …] section."""
    found = []
    for line in text.splitlines():
        line = re.split(r"[#;]", line, maxsplit=1)[0].strip()
        if line.startswith("["):
            found.append((line.strip("[] "), {}))
        elif "=" in line and found:
            key, value = (part.strip() for part in line.split("=", 1))
            found[-1][1][key.lower()] = value
    return [(name, keys) for name, keys in found if name.lower().startswith("potential")]


def table(section, keys, mass_unit):
    """The deck's table of a section, as a dictionary. Raises ValueError for what the deck has no kind of."""
    number = lambda key, default=1.0: float(keys.pop(key, default))
    kind = keys.pop("type").lower()
    radius = number("scaleradius")
    p, q = number("axisratioy"), number("axisratioz")
    if kind == "logarithmic":
        made = {"kind": kind, "speed": number("v0"), "core": radius, "flattening": q, "elongation": p}
    elif (p, q) != (1, 1):
        raise ValueError(f"[{section}]: expected a sphere or a disk, found axis ratios {p:g} and {q:g}")
    elif kind in ("plummer", "isochrone", "nfw"):
        made = {"kind": kind, "mass": mass_unit * number("mass"), "scale": radius}
    elif kind == "dehnen":
        made = {"kind": kind, "mass": mass_unit * number("mass"), "scale": radius, "gamma": number("gamma")}
    elif kind == "miyamotonagai":
        made = {"kind": "miyamoto-nagai", "mass": mass_unit * number("mass")}
        made |= {"scaleLength": radius, "scaleHeight": number("scaleheight")}
    elif kind in ("spheroid", "spheroiddensity"):
        made = spheroid(section, number, keys, radius, mass_unit)
    else:
        raise ValueError(f"[{section}]: expected a type that decks have (docs/potentials.md), found {kind}")
    if keys:
        raise ValueError(f"[{section}]: expected no other keys, found {', '.join(keys)}")
    return {**made, "name": section}


def spheroid(section, number, keys, a, mass_unit):
    """ρ = ρ0 (r/a)^−γ [1 + (r/a)^α]^((γ − β)/α) exp(−(r/r_c)^ξ)"""
    alpha, beta, gamma = number("alpha"), number("beta", 4), number("gamma")
    cutoff, strength = number("outercutoffradius", math.inf), number("cutoffstrength", 2)
    if "densitynorm" not in keys:
        raise ValueError(f"[{section}]: expected a densityNorm, found none")
    norm = mass_unit * number("densitynorm")
    if cutoff == math.inf and (alpha, beta, gamma) == (1, 3, 1):
        return {"kind": "nfw", "mass": 4 * math.pi * norm * a**3, "scale": a}
    if beta == gamma and strength == 2 and cutoff < math.inf:
        total = 2 * math.pi * norm * a**gamma * cutoff ** (3 - gamma) * math.gamma((3 - gamma) / 2)
        return {"kind": "power-law-cutoff", "mass": total, "alpha": gamma, "cutoff": cutoff}

    def density(r):
        x = r / a
        return norm * x**-gamma * (1 + x**alpha) ** ((gamma - beta) / alpha) * math.exp(-((r / cutoff) ** strength))

    # Simpson's rule in ln r; a power law inside the first radius.
    first, last = 1e-3 * a, min(1e3 * a, 6 * cutoff)
    count, parts = 100, 16
    width = math.log(last / first) / (count - 1)
    shell = lambda u: 4 * math.pi * density(math.exp(u)) * math.exp(3 * u)
    radii = [first * math.exp(width * i) for i in range(count)]
    masses = [shell(math.log(first)) / (3 - gamma)]
    for r in radii[:-1]:
        h, u = width / parts, math.log(r)
        weights = [1] + [4 if j % 2 else 2 for j in range(1, parts)] + [1]
        masses.append(masses[-1] + h / 3 * sum(w * shell(u + j * h) for j, w in enumerate(weights)))
    return {"kind": "spherical-table", "radii": radii, "masses": masses}


def toml(value):
    if isinstance(value, list):
        return "[" + ", ".join(f"{x:.8g}" for x in value) + "]"
    return f'"{value}"' if isinstance(value, str) else f"{value:.10g}"


def tables(text, mass_unit=1e-10):
    """All tables of a file, as TOML."""
    made = [table(name, keys, mass_unit) for name, keys in sections(text)]
    return "".join("\n[[potential]]\n" + "".join(f"{k} = {toml(v)}\n" for k, v in one.items()) for one in made)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("file")
    options.add_argument("--mass", type=float, default=1e-10, help="the file's unit of mass, in the deck's")
    given = options.parse_args()
    try:
        print(tables(open(given.file, encoding="utf-8").read(), given.mass), end="")
    except (OSError, ValueError, KeyError) as error:
        raise SystemExit(f"{given.file}: {error}")
