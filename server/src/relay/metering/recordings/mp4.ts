import { aacPackets, type PacketLength } from './aac-config.js';
import { opusRate } from './opus.js';
import { longer, Pace, type Walk } from './walk.js';

/** Boxes that hold boxes. */
const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'mvex', 'moof', 'traf']);
const mostTracks = 64;
const unknown = 0xffffffff;

/** One sound track, as its tables tell. Durations are in its own units. */
interface Track {
  id: number;
  isSound: boolean;
  /** As it is played, in units of the movie. */
  shown: number;
  unitsPerSecond: number;
  claimed: number;
  /** By the table of times. */
  timed: number;
  packets: number;
  each: PacketLength | null;
  /** Of a packet that does not say it. */
  defaultDuration: number;
}

/**
 * MP4, M4A or MOV, whole or in fragments: the longest sound track. Of each the largest counts of what its header claims,
 * what its table of times adds up to and what its packets hold.
 */
export function* mp4Seconds(bytes: Buffer): Walk {
  const pace = new Pace();
  const tracks: Track[] = [];
  let fragment: Track | undefined;
  let movieUnits = 0;
  for (let at = 0; at + 8 <= bytes.length;) {
    if (pace.due()) yield;
    const box = boxAt(bytes, at);
    if (!box) break;
    const { name, body } = box;
    if (name === 'trak') {
      if (tracks.length >= mostTracks) return 0;
      tracks.push(newTrack());
    }
    if (name === 'mvhd') movieUnits = numberAt(body, body[0] === 1 ? 20 : 12);
    const track = tracks.at(-1);
    if (track) yield* readTable(track, name, body);
    if (name === 'trex' && body.length >= 24) setDefault(tracks, body);
    if (name === 'tfhd') fragment = fragmentTrack(tracks, body);
    if (name === 'trun' && fragment) yield* readRun(fragment, body, bytes.length);
    at = containers.has(name) ? at + box.headLength : box.end;
  }
  return Math.max(0, ...tracks.map((track) => trackSeconds(track, movieUnits)));
}

const newTrack = (): Track => ({
  id: 0,
  isSound: false,
  shown: 0,
  unitsPerSecond: 0,
  claimed: 0,
  timed: 0,
  packets: 0,
  each: null,
  defaultDuration: 0,
});

function trackSeconds(track: Track, movieUnits: number): number {
  const { isSound, shown, unitsPerSecond, claimed, timed, packets, each } = track;
  if (!isSound || unitsPerSecond === 0) return 0;
  const held = each ? (packets * each.samples) / each.rate : 0;
  const tables = Math.max(claimed / unitsPerSecond, timed / unitsPerSecond, held);
  return longer(movieUnits > 0 ? shown / movieUnits : 0, tables);
}

interface Box {
  readonly name: string;
  readonly headLength: number;
  readonly body: Buffer;
  readonly end: number;
}

function boxAt(bytes: Buffer, at: number): Box | null {
  const size = bytes.readUInt32BE(at);
  const name = bytes.toString('latin1', at + 4, at + 8);
  const isLong = size === 1;
  if (isLong && at + 16 > bytes.length) return null;
  const headLength = isLong ? 16 : 8;
  const length = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : size === 0 ? bytes.length - at : size;
  if (length < headLength) return null;
  const end = Math.min(at + length, bytes.length);
  return { name, headLength, body: bytes.subarray(at + headLength, end), end };
}

function* readTable(track: Track, name: string, body: Buffer): Generator<undefined, void> {
  const isLong = body[0] === 1;
  switch (name) {
    case 'tkhd':
      track.id = numberAt(body, isLong ? 20 : 12);
      track.shown = knownDuration(numberAt(body, isLong ? 28 : 20), isLong ? numberAt(body, 32) : null);
      break;
    case 'hdlr':
      track.isSound ||= body.toString('latin1', 8, 12) === 'soun';
      break;
    case 'mdhd':
      track.unitsPerSecond = numberAt(body, isLong ? 20 : 12);
      track.claimed = knownDuration(numberAt(body, isLong ? 24 : 16), isLong ? numberAt(body, 28) : null);
      break;
    case 'stsd':
      track.each = packetLength(body.subarray(8));
      break;
    case 'stts':
      track.timed += yield* timesOf(body);
      break;
    case 'stsz':
      track.packets += packetsOf(body);
      break;
    case 'stz2':
      track.packets += Math.min(numberAt(body, 8), (body.length - 12) * 2);
  }
}

const numberAt = (body: Buffer, at: number): number => (at + 4 <= body.length ? body.readUInt32BE(at) : 0);

function knownDuration(high: number, low: number | null): number {
  if (low === null) return high === unknown ? 0 : high;
  return high === unknown ? 0 : high * 2 ** 32 + low;
}

/** Counts and durations, in pairs. */
function* timesOf(body: Buffer): Generator<undefined, number> {
  const pace = new Pace();
  const end = Math.min(8 + numberAt(body, 4) * 8, body.length - 7);
  let units = 0;
  for (let at = 8; at < end; at += 8) {
    units += body.readUInt32BE(at) * body.readUInt32BE(at + 4);
    if (pace.due()) yield;
  }
  return units;
}

/** As many as the table has room for, or as are said to be of one size. */
function packetsOf(body: Buffer): number {
  const count = numberAt(body, 8);
  return numberAt(body, 4) > 0 ? count : Math.min(count, Math.max(0, (body.length - 12) >> 2));
}

/** Entries as big as one sample of all channels. */
const plainSound = new Set(['sowt', 'twos', 'raw ', 'in24', 'in32', 'fl32', 'fl64', 'ulaw', 'alaw', 'lpcm']);
const entryRate = 32;

/** @param entry the first of the sample descriptions */
function packetLength(entry: Buffer): PacketLength | null {
  const end = Math.min(numberAt(entry, 0), entry.length);
  const name = entry.toString('latin1', 4, 8);
  const rate = numberAt(entry, entryRate) / 65_536;
  if (plainSound.has(name)) return rate > 0 ? { samples: 1, rate } : null;
  switch (name) {
    case 'mp4a':
      return elementaryStream(entry.subarray(0, end), rate);
    case '.mp3':
      return mp3Packets(rate);
    case 'alac':
      return losslessPackets(entry.subarray(0, end), rate);
    case 'Opus':
      // 20 ms, unless the times say more.
      return { samples: opusRate / 50, rate: opusRate };
    default:
      return rate > 0 && (name === 'ac-3' || name === 'ec-3') ? { samples: 1536, rate } : null;
  }
}

const mp3Packets = (rate: number): PacketLength | null =>
  rate > 0 ? { samples: rate < 32_000 ? 576 : 1152, rate } : null;

function losslessPackets(entry: Buffer, rate: number): PacketLength | null {
  const at = entry.indexOf('alac', 36, 'latin1');
  const samples = at < 0 ? 0 : numberAt(entry, at + 8);
  const own = at < 0 ? 0 : numberAt(entry, at + 28);
  const told = own || rate;
  return samples > 0 && told > 0 ? { samples, rate: told } : null;
}

const mp3Types = new Set([0x69, 0x6b]);

/** Descriptors in descriptors (ISO 14496-1, 7.2.6): what kind of stream it is, and its configuration. */
function elementaryStream(entry: Buffer, rate: number): PacketLength | null {
  const fallback = rate > 0 ? { samples: 1024, rate } : null;
  const box = entry.indexOf('esds', 36, 'latin1');
  if (box < 0) return fallback;
  let at = box + 8;
  while (at < entry.length) {
    const tag = entry[at++];
    let length = 0;
    for (let more = true; more && at < entry.length;) {
      const byte = entry[at++] ?? 0;
      length = ((length << 7) | (byte & 0x7f)) >>> 0;
      more = (byte & 0x80) !== 0;
    }
    if (tag === 3) at += 3;
    else if (tag === 4) {
      if (mp3Types.has(entry[at] ?? 0)) return mp3Packets(rate);
      at += 13;
    } else if (tag === 5) return aacPackets(entry.subarray(at, at + length)) ?? fallback;
    else at += length;
  }
  return fallback;
}

function setDefault(tracks: readonly Track[], body: Buffer): void {
  const track = tracks.find(({ id }) => id === numberAt(body, 4));
  if (track) track.defaultDuration = numberAt(body, 12);
}

/** The track a fragment goes on with; what the fragment says of its packets counts until the next one. */
function fragmentTrack(tracks: readonly Track[], body: Buffer): Track | undefined {
  const track = tracks.find(({ id }) => id === numberAt(body, 4));
  const flags = body.length >= 4 ? body.readUIntBE(1, 3) : 0;
  if (track && (flags & 8) !== 0) {
    track.defaultDuration = numberAt(body, 8 + ((flags & 1) === 0 ? 0 : 8) + ((flags & 2) === 0 ? 0 : 4));
  }
  return track;
}

const perPacketFlags = [0x100, 0x200, 0x400, 0x800];

/** @param most packets there can be, where the run lists none of them */
function* readRun(track: Track, body: Buffer, most: number): Generator<undefined, void> {
  if (body.length < 8) return;
  const flags = body.readUIntBE(1, 3);
  const each = perPacketFlags.reduce((size, flag) => ((flags & flag) === 0 ? size : size + 4), 0);
  const from = 8 + ((flags & 1) === 0 ? 0 : 4) + ((flags & 4) === 0 ? 0 : 4);
  const room = each === 0 ? most : Math.max(0, Math.floor((body.length - from) / each));
  const count = Math.min(body.readUInt32BE(4), room);
  track.packets += count;
  if ((flags & 0x100) === 0) {
    track.timed += count * track.defaultDuration;
    return;
  }
  const pace = new Pace();
  for (let at = from; at < from + count * each; at += each) {
    track.timed += body.readUInt32BE(at);
    if (pace.due()) yield;
  }
}
