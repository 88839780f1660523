/** Power spectrum and haloes of a periodic run: on the GPU where the particles are there, in float64 otherwise. */
import type { Backend } from "../../engine/backend/backend.ts";
import { catalogueOfGroups } from "../../engine/diagnostics/friends-of-friends-catalogue.ts";
import type { Spectrum } from "../../engine/diagnostics/power-spectrum.ts";
import { SPECTRUM_ASSIGNMENT } from "../../engine/diagnostics/power-spectrum-bins.ts";
import { friendsOfFriends, groupsOf } from "../../engine/reference/diagnostics/friends-of-friends.ts";
import { powerSpectrum } from "../../engine/reference/diagnostics/power-spectrum.ts";
import { toFixedPoint } from "../../physics/particles/fixed-point.ts";

export interface SpectrumRequest {
  /** Cells per side of the mesh that the density is assigned to. */
  cells: number;
  subtractShotNoise?: boolean;
}

export interface HaloRequest {
  /** Linking length over the mean separation. */
  linking: number;
  minimumMembers: number;
}

/** Power spectrum of the particles in a periodic box of side `boxSize`: TSC, interlaced, deconvolved. */
export async function spectrumOf(backend: Backend, boxSize: number, request: SpectrumRequest): Promise<Spectrum> {
  if (backend.powerSpectrum) return backend.powerSpectrum(request);
  const { cells, subtractShotNoise = false } = request;
  const { positions, masses } = await backend.readParticles();
  const spectrum = powerSpectrum({
    positions,
    masses,
    boxSize,
    cells,
    assignment: SPECTRUM_ASSIGNMENT,
    interlaced: true,
  });
  if (!subtractShotNoise) return spectrum;
  const power = spectrum.power.map((value, bin) => value - spectrum.shotNoise[bin]);
  return { ...spectrum, power, shotNoiseSubtracted: true };
}

export async function haloesOf(backend: Backend, boxSize: number, { linking, minimumMembers }: HaloRequest) {
  if (backend.haloes) return backend.haloes({ linking, minimumMembers });
  const { count, positions, velocities, masses } = await backend.readParticles();
  const length = (linking * boxSize) / Math.cbrt(count);
  const given = {
    positions: Uint32Array.from(positions, (x) => toFixedPoint(x, boxSize).u),
    linkingLength: Math.round((length / boxSize) * 2 ** 32),
  };
  const labels = friendsOfFriends(given);
  const groups = groupsOf(labels, { ...given, velocities, masses, boxSize, minimumMembers });
  return catalogueOfGroups(groups, {
    ...{ linkingLength: length, minimumMembers, boxSize },
    groupsInAll: new Set(labels).size,
  });
}
