/**
 * What HDF5 snapshots of different codes say of themselves, in GADGET's words. GADGET-2 and -3 have /Header alone, GADGET-4
 * and AREPO /Parameters too, and SWIFT /Units and /Cosmology with names of its own, lengths and masses without h, peculiar
 * velocities (SWIFT's documentation, "Snapshots"). Whoever wrote a file with scalings beside each data set (GADGET-4,
 * AREPO, SWIFT, EAGLE) says by them what velocities are; MP-Gadget by a flag.
 */
import { VELOCITIES, VELOCITY_CONVENTIONS, type VelocityConvention } from "../../foundation/deck/file-formats.ts";
import type { SnapshotSet, TypeColumns } from "./column.ts";
import { frameOf } from "./file-frame.ts";
import type { ParameterValue } from "./gadget.ts";
import { HEADER_NUMBERS } from "./header-values.node.ts";
import type { SnapshotFile } from "./snapshot-file.node.ts";

type Attributes = Record<string, ParameterValue>;

/** What /Header and /Parameters say, as GADGET has them. */
interface Dialect extends Record<"attributes" | "parameters", Attributes>, Pick<SnapshotSet, "perH"> {
  /** What velocities are by what stands beside the data; undefined where that is none of the conventions. */
  velocities(types: readonly TypeColumns[]): VelocityConvention | undefined;
}

/** Exponents of the scale factor beside a data set: of GADGET-4 and AREPO, SWIFT, and EAGLE. */
const SCALINGS = ["a_scaling", "a-scale exponent", "aexp-scale-exponent"];

/** Attributes that are one number, which SWIFT writes as lists of one. */
const SINGLE = [...HEADER_NUMBERS, "NumFilesPerSnapshot"];

/** A number that stands alone or in a list of one. */
function single(value: ParameterValue | undefined): number | undefined {
  const one = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return typeof one === "number" ? one : undefined;
}

const withSingles = (attributes: Attributes) =>
  overlaid(attributes, Object.fromEntries(SINGLE.map((name) => [name, single(attributes[name])])));

/** `attributes` with those of `more` that have a value. */
function overlaid(attributes: Attributes, more: Record<string, ParameterValue | undefined>): Attributes {
  const known = Object.entries(more).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return { ...attributes, ...Object.fromEntries(known) };
}

/** Throws "input" for a file without /Header. */
export function dialectOf(file: SnapshotFile): Dialect {
  const header = file.attributes("Header");
  if (header === undefined) throw file.fault("group /Header is missing.", "Expected a GADGET snapshot.");
  const attributes = withSingles(header);
  const parameters = withSingles(file.attributes("Parameters") ?? {});
  const units = file.attributes("Units");
  if (units && "Unit length in cgs (U_L)" in units) return swift(file, attributes, units);
  const flag = attributes.UsePeculiarVelocity ?? parameters.UsePeculiarVelocity;
  return {
    ...{ attributes, parameters, perH: true },
    velocities: (types) => {
      const scaling = scalingOf(file, types);
      const all = { ...attributes, ...parameters };
      const { ComovingIntegrationOn: on, Time: time } = all;
      // At rest in time: no scale factor, and GADGET-4 writes 0.
      if (scaling !== undefined && on !== 0) return conventionOf(scaling);
      if (flag === undefined) return frameOf(all, single(time)).comoving === undefined ? undefined : "gadget";
      // Without it MP-Gadget's initial conditions and its snapshots differ.
      return flag === 1 ? "peculiar" : undefined;
    },
  };
}

/** The exponent of a beside the velocities of the first type that has them. */
function scalingOf(file: SnapshotFile, types: readonly TypeColumns[]): number | undefined {
  const [first] = types;
  const beside = first?.velocities && file.attributesOfDataset(first.velocities.path);
  return beside && SCALINGS.map((name) => single(beside[name])).find((value) => value !== undefined);
}

function conventionOf(exponent: number): VelocityConvention | undefined {
  return VELOCITY_CONVENTIONS.find((name) => Math.abs(VELOCITIES[name] - exponent) < 1e-6);
}

/** A file of SWIFT, or one that is to be its initial conditions: those say nothing of what their velocities are. */
function swift(file: SnapshotFile, header: Attributes, units: Attributes): Dialect {
  const cosmology = file.attributes("Cosmology") ?? {};
  const unit = (name: string) =>
    single(units[`Unit ${name} in cgs (U_${name === "time" ? "t" : name[0].toUpperCase()})`]);
  const [length, mass, time] = [unit("length"), unit("mass"), unit("time")];
  const run = single(cosmology["Cosmological run"]);
  const ofBackground = (name: string) => (run === 1 ? single(cosmology[name]) : undefined);
  const attributes = overlaid(header, {
    ...{ ComovingIntegrationOn: run, Time: ofBackground("Scale-factor"), Redshift: ofBackground("Redshift") },
    ...{ Omega0: ofBackground("Omega_m"), OmegaLambda: ofBackground("Omega_lambda"), HubbleParam: ofBackground("h") },
    ...{ UnitLength_in_cm: length, UnitMass_in_g: mass },
    UnitVelocity_in_cm_per_s: length !== undefined && time !== undefined ? length / time : undefined,
  });
  const velocities = (types: readonly TypeColumns[]) => {
    const scaling = scalingOf(file, types);
    if (scaling !== undefined) return conventionOf(scaling);
    return header.Code === "SWIFT" ? "peculiar" : undefined;
  };
  return { attributes, parameters: {}, perH: false, velocities };
}
