/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

interface TilePrice {
  readonly base: number;
  readonly tile: number;
}

const shortSide = 768;
const maxSide = 2048;
const tileSide = 512;
const glmTokens = 1047;

/** Models that are priced by patches of 32 pixels, with the factor from patches to tokens. */
const patchFactors: ReadonlyArray<readonly [RegExp, number]> = [
  [/^gpt-4\.1-mini/, 1.62],
  [/^gpt-4\.1-nano/, 2.46],
  [/^o4-mini/, 1.72],
];
const patchSide = 32;
const maxPatches = 1536;
/** Patches of an image with low detail, which has 512 pixels a side. */
const lowPatches = 256;
/** The largest image has this many tiles: its sides are 768 and 2048. */
const maxTiles = 8;

function tilePriceOf(model: string): TilePrice {
  if (/^gpt-4o-mini/.test(model)) return { base: 2833, tile: 5667 };
  if (/^o[13](?:-|$)/.test(model)) return { base: 75, tile: 150 };
  if (/^gpt-5/.test(model)) return { base: 70, tile: 140 };
  return { base: 85, tile: 170 };
}

/**
 * Prompt tokens of one image (docs/reference/relay/token-counting.md#images).
 * @param size null when unknown: counts three times the base
 */
export function imageTokens(model: string, detail: unknown, size: ImageSize | null): number {
  if (model.startsWith('glm-4v')) return glmTokens;
  const { base, tile } = tilePriceOf(model);
  const patchFactor = patchFactorOf(model);
  if (detail === 'low') return patchFactor === undefined ? base : Math.ceil(lowPatches * patchFactor);
  if (!size) return 3 * base;
  if (patchFactor !== undefined) {
    const patches = Math.ceil(size.width / patchSide) * Math.ceil(size.height / patchSide);
    return Math.ceil(Math.min(patches, maxPatches) * patchFactor);
  }
  return tilesOf(size) * tile + base;
}

const patchFactorOf = (model: string): number | undefined => patchFactors.find(([pattern]) => pattern.test(model))?.[1];

/** Returns the most prompt tokens that an image of any size can have. */
export function mostImageTokens(model: string, detail: unknown): number {
  if (detail === 'low' || model.startsWith('glm-4v')) return imageTokens(model, detail, null);
  const { base, tile } = tilePriceOf(model);
  const patchFactor = patchFactorOf(model);
  return patchFactor === undefined ? maxTiles * tile + base : Math.ceil(maxPatches * patchFactor);
}

function tilesOf({ width, height }: ImageSize): number {
  const fit = Math.min(1, maxSide / Math.max(width, height));
  let short = Math.min(width, height) * fit;
  let long = Math.max(width, height) * fit;
  if (short > shortSide) {
    long = Math.ceil(long / (short / shortSide));
    short = shortSide;
  }
  return Math.ceil(short / tileSide) * Math.ceil(long / tileSide);
}

/** Characters that contain the header of every supported format. JPEG may contain a thumbnail before its size. */
export const headCharacters = 96 * 1024;

/** The size of a `data:` image, read from its first bytes. Null for other URLs and for unknown formats. */
export function dataImageSize(url: string): ImageSize | null {
  if (!url.startsWith('data:')) return null;
  const comma = url.indexOf(',');
  if (comma < 0) return null;
  const head = Buffer.from(url.slice(comma + 1, comma + 1 + headCharacters), 'base64');
  const size = pngSize(head) ?? gifSize(head) ?? webpSize(head) ?? jpegSize(head);
  return size && size.width > 0 && size.height > 0 ? size : null;
}

function pngSize(head: Buffer): ImageSize | null {
  if (head.length < 24 || head.readUInt32BE(0) !== 0x89504e47) return null;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

function gifSize(head: Buffer): ImageSize | null {
  if (head.length < 10 || head.toString('latin1', 0, 4) !== 'GIF8') return null;
  return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
}

function webpSize(head: Buffer): ImageSize | null {
  if (head.length < 30 || head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WEBP')
    return null;
  const kind = head.toString('latin1', 12, 16);
  if (kind === 'VP8X') return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
  if (kind === 'VP8 ') return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
  if (kind !== 'VP8L') return null;
  const bits = head.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
}

function jpegSize(head: Buffer): ImageSize | null {
  if (head.length < 4 || head.readUInt16BE(0) !== 0xffd8) return null;
  let at = 2;
  while (at + 9 <= head.length) {
    if (head[at] !== 0xff) return null;
    const marker = head[at + 1] ?? 0;
    // These markers start a frame, in any coding; c4, c8 and cc are tables.
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      return { height: head.readUInt16BE(at + 5), width: head.readUInt16BE(at + 7) };
    }
    at += 2 + head.readUInt16BE(at + 2);
  }
  return null;
}
