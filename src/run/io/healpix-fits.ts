/**
 * A HEALPix map as a FITS file, as healpy reads it: a binary table (FITS standard 4.0, section 7.3) of one column of float32
 * in the ring scheme, 1024 pixels or one a row, with the keywords of the HEALPix primer.
 */

const [BLOCK, CARD] = [2880, 80];
/** A pixel that isn't seen. */
export const UNSEEN = -1.6375e30;
const ROW = 1024;

type Card = readonly [keyword: string, value: string | number | boolean, comment?: string];

function cardText([keyword, value, comment]: Card): string {
  const plain = typeof value === "boolean" ? (value ? "T" : "F") : String(value).replace("e", "E");
  const field =
    typeof value === "string" ? `'${value.replaceAll("'", "''").padEnd(8)}'`.padEnd(20) : plain.padStart(20);
  return `${keyword.padEnd(8)}= ${field}${comment ? ` / ${comment}` : ""}`.slice(0, CARD).padEnd(CARD);
}

function header(cards: readonly Card[]): string {
  const text = `${cards.map(cardText).join("")}${"END".padEnd(CARD)}`;
  return text.padEnd(BLOCK * Math.ceil(text.length / BLOCK));
}

/** `map` [12 nside²]; texts are ASCII. */
export function healpixFits(
  map: ArrayLike<number>,
  { name, unit, about }: { name: string; unit: string; about: readonly Card[] },
): Uint8Array {
  const { length } = map;
  const nside = Math.sqrt(length / 12);
  const row = length % ROW === 0 ? ROW : 1;
  const head = new TextEncoder().encode(
    header([
      ["SIMPLE", true],
      ["BITPIX", 8],
      ["NAXIS", 0],
      ["EXTEND", true],
    ]) +
      header([
        ["XTENSION", "BINTABLE"],
        ["BITPIX", 8],
        ["NAXIS", 2],
        ["NAXIS1", 4 * row],
        ["NAXIS2", length / row],
        ["PCOUNT", 0],
        ["GCOUNT", 1],
        ["TFIELDS", 1],
        ["TTYPE1", name],
        ["TFORM1", `${row}E`],
        ["TUNIT1", unit],
        ["PIXTYPE", "HEALPIX", "HEALPIX pixelisation"],
        ["ORDERING", "RING"],
        ["NSIDE", nside],
        ["FIRSTPIX", 0],
        ["LASTPIX", length - 1],
        ["INDXSCHM", "IMPLICIT"],
        ["OBJECT", "FULLSKY"],
        ["BAD_DATA", UNSEEN, "not seen"],
        ...about,
      ]),
  );
  const bytes = new Uint8Array(head.length + BLOCK * Math.ceil((4 * length) / BLOCK));
  bytes.set(head);
  const view = new DataView(bytes.buffer, head.length);
  for (let i = 0; i < length; i++) view.setFloat32(4 * i, map[i]);
  return bytes;
}
