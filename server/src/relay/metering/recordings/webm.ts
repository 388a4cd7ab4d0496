import { aacPackets } from './aac-config.js';
import { flacFrame, flacStream } from './flac.js';
import { mp3Frame } from './mpeg-audio.js';
import { opusRate, opusSamples } from './opus.js';
import { VorbisPackets } from './vorbis.js';
import { longer, Pace, type Walk } from './walk.js';

const id = {
  segment: 0x18538067,
  info: 0x1549a966,
  timecodeScale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  track: 0xae,
  trackNumber: 0xd7,
  codec: 0x86,
  codecPrivate: 0x63a2,
  audio: 0xe1,
  rate: 0xb5,
  channels: 0x9f,
  bitDepth: 0x6264,
  cluster: 0x1f43b675,
  timecode: 0xe7,
  simpleBlock: 0xa3,
  group: 0xa0,
  block: 0xa1,
} as const;

/** Elements whose content is read as it comes; all others are stepped over. */
const masters = new Set<number>([id.segment, id.info, id.tracks, id.track, id.audio, id.cluster, id.group]);
const mostTracks = 64;
const defaultScale = 1_000_000;

interface Track {
  number: number;
  codec: string;
  codecPrivate: Buffer;
  rate: number;
  channels: number;
  bitDepth: number;
  seconds: PacketSeconds | null;
  held: number;
  first: number | null;
  last: number;
}

type PacketSeconds = (packet: Buffer) => number;

/**
 * WebM or Matroska: the longest sound track. Of each the largest counts of what the file claims, where its last block
 * stands and what its packets hold. Recorders that cannot go back claim nothing.
 */
export function* webmSeconds(bytes: Buffer): Walk {
  const pace = new Pace();
  const tracks: Track[] = [];
  let scale = defaultScale;
  let claimed = 0;
  let cluster = 0;
  for (let at = 0; at < bytes.length;) {
    if (pace.due()) yield;
    const element = elementAt(bytes, at);
    if (!element) break;
    const { name, body } = element;
    if (name === id.track) {
      if (tracks.length >= mostTracks) return 0;
      tracks.push(newTrack());
    } else if (name === id.timecodeScale) scale = unsigned(body) || defaultScale;
    else if (name === id.duration) claimed = float(body);
    else if (name === id.timecode) cluster = unsigned(body);
    else if (name === id.simpleBlock || name === id.block) readBlock(tracks, body, cluster);
    else describe(tracks.at(-1), name, body);
    at = masters.has(name) ? element.from : element.end;
  }
  const sounding = tracks.filter(({ codec }) => codec.startsWith('A_'));
  if (sounding.length === 0) return 0;
  const unit = scale / 1e9;
  return longer(
    claimed * unit,
    Math.max(...sounding.map(({ held, first, last }) => Math.max(held, (last - (first ?? 0)) * unit))),
  );
}

const newTrack = (): Track => ({
  number: 0,
  codec: '',
  codecPrivate: nothing,
  rate: 8000,
  channels: 1,
  bitDepth: 0,
  seconds: null,
  held: 0,
  first: null,
  last: 0,
});

interface Element {
  readonly name: number;
  readonly from: number;
  readonly end: number;
  readonly body: Buffer;
}

const nothing = Buffer.alloc(0);

/** A length of ones alone means that it is not known: only what holds other elements may leave it open. */
function elementAt(bytes: Buffer, at: number): Element | null {
  const nameLength = Math.clz32(bytes[at] ?? 0) - 23;
  if (nameLength > 4 || at + nameLength >= bytes.length) return null;
  const name = bytes.readUIntBE(at, nameLength);
  const size = variable(bytes, at + nameLength);
  if (!size) return null;
  const from = at + nameLength + size.length;
  const end = size.value === null ? bytes.length : Math.min(from + size.value, bytes.length);
  return { name, from, end, body: from < end ? bytes.subarray(from, end) : nothing };
}

/** A number whose first byte tells its length. */
function variable(bytes: Buffer, at: number): { readonly value: number | null; readonly length: number } | null {
  const length = Math.clz32(bytes[at] ?? 0) - 23;
  if (length > 8 || at + length > bytes.length) return null;
  let value = (bytes[at] ?? 0) & (0xff >> length);
  let ones = value === 0xff >> length;
  for (let next = at + 1; next < at + length; next++) {
    const byte = bytes[next] ?? 0;
    value = value * 256 + byte;
    ones &&= byte === 0xff;
  }
  return { value: ones ? null : value, length };
}

const unsigned = (body: Buffer): number => {
  let value = 0;
  for (const byte of body.subarray(0, 8)) value = value * 256 + byte;
  return value;
};

const float = (body: Buffer): number => {
  const value = body.length === 8 ? body.readDoubleBE() : body.length === 4 ? body.readFloatBE() : 0;
  return Number.isFinite(value) ? value : 0;
};

function describe(track: Track | undefined, name: number, body: Buffer): void {
  if (!track) return;
  switch (name) {
    case id.trackNumber:
      track.number = unsigned(body);
      break;
    case id.codec:
      track.codec = body.toString('latin1', 0, 32);
      break;
    case id.codecPrivate:
      track.codecPrivate = body;
      break;
    case id.rate:
      track.rate = float(body) || track.rate;
      break;
    case id.channels:
      track.channels = unsigned(body) || 1;
      break;
    case id.bitDepth:
      track.bitDepth = unsigned(body);
  }
}

function readBlock(tracks: readonly Track[], body: Buffer, cluster: number): void {
  const number = variable(body, 0);
  if (!number || number.length + 3 > body.length) return;
  const track = tracks.find((each) => each.number === number.value);
  if (!track?.codec.startsWith('A_')) return;
  const time = cluster + body.readInt16BE(number.length);
  const flags = body[number.length + 2] ?? 0;
  track.seconds ??= packetSeconds(track);
  let held = 0;
  for (const packet of packetsOf(body.subarray(number.length + 3), (flags >> 1) & 3)) held += track.seconds(packet);
  track.held += held;
  track.first = Math.min(track.first ?? time, time);
  track.last = Math.max(track.last, time);
}

/** The packets of a block: one, or several with their lengths before them, by 255s, all alike or by their differences. */
function packetsOf(body: Buffer, lacing: number): Buffer[] {
  if (lacing === 0) return [body];
  const count = (body[0] ?? 0) + 1;
  // A packet has a byte at least: no block of some bytes makes us look at hundreds.
  if (count > body.length) return [];
  let at = 1;
  if (lacing === 2) {
    const each = Math.floor((body.length - at) / count);
    return Array.from({ length: count }, (_, index) => body.subarray(at + index * each, at + (index + 1) * each));
  }
  const lengths: number[] = [];
  for (let index = 0; index < count - 1; index++) {
    if (lacing === 1) {
      let length = 0;
      let byte: number;
      do length += byte = body[at++] ?? 0;
      while (byte === 255);
      lengths.push(length);
      continue;
    }
    const coded = variable(body, at);
    if (!coded) return [];
    at += coded.length;
    const middle = 2 ** (coded.length * 7 - 1) - 1;
    const value = coded.value ?? 2 ** (coded.length * 7) - 1;
    lengths.push(index === 0 ? value : Math.max(0, (lengths[index - 1] ?? 0) + value - middle));
  }
  const packets = lengths.map((length) => body.subarray(at, (at += length)));
  return [...packets, body.subarray(at)];
}

/** How long a packet of the track sounds, by itself; 0 where only the times of blocks tell. */
function packetSeconds({ codec, codecPrivate, rate, channels, bitDepth }: Track): PacketSeconds {
  switch (codec) {
    case 'A_OPUS':
      return (packet) => opusSamples(packet) / opusRate;
    case 'A_VORBIS':
      return vorbisSeconds(codecPrivate, rate);
    case 'A_AAC': {
      const each = aacPackets(codecPrivate);
      const seconds = each ? each.samples / each.rate : 1024 / rate;
      return () => seconds;
    }
    case 'A_MPEG/L3':
      return (packet) => {
        const frame = mp3Frame(packet, 0);
        return frame ? frame.samples / frame.rate : 0;
      };
    case 'A_FLAC': {
      const stream = flacStream(codecPrivate, 8);
      return stream ? (packet) => (flacFrame(packet, 0, stream)?.samples ?? 0) / stream.rate : () => 0;
    }
    case 'A_PCM/INT/LIT':
    case 'A_PCM/INT/BIG':
    case 'A_PCM/FLOAT/IEEE':
      return (packet) => packet.length / (channels * Math.max(1, Math.ceil(bitDepth / 8))) / rate;
    default:
      return () => 0;
  }
}

/** Its three headers stand in one: their number less one, two lengths, and the packets. */
function vorbisSeconds(headers: Buffer, rate: number): PacketSeconds {
  const [, first, second, third] = packetsOf(headers, 1).length === 3 ? [null, ...packetsOf(headers, 1)] : [];
  if (!first || !second || !third || first.length < 30) return () => 0;
  const packets = VorbisPackets.of(first, third);
  const own = first.readUInt32LE(12) || rate;
  return (packet) => packets.samples(packet) / own;
}
