import { flacFrame, flacStream } from './flac.js';
import { opusRate, opusSamples } from './opus.js';
import { VorbisPackets } from './vorbis.js';
import { longer, Pace, type Walk } from './walk.js';

const headLength = 27;
/** Streams that sound at the same time; more of them are nobody's recording. */
const mostStreams = 32;
/** What a packet's length is told by stands in its first bytes. */
const enough = 32;

/**
 * An Ogg file. Its pages claim where in the recording they end; its packets are counted beside that. Streams that begin
 * together sound together, those that follow one another add up.
 */
export function* oggSeconds(bytes: Buffer): Walk {
  const pace = new Pace();
  let over = 0;
  let streams = new Map<number, OggStream>();
  let began = false;
  let at = 0;
  while ((at = bytes.indexOf('OggS', at, 'latin1')) >= 0 && at + headLength <= bytes.length) {
    if (pace.due()) yield;
    const page = pageAt(bytes, at);
    at += page.length;
    if (page.isFirst) {
      if (began) {
        over += longest(streams);
        streams = new Map();
      }
      began = false;
      if (streams.size >= mostStreams) return 0;
      streams.set(page.serial, new OggStream());
    } else {
      began = true;
    }
    streams.get(page.serial)?.page(page);
  }
  return over + longest(streams);
}

const longest = (streams: ReadonlyMap<number, OggStream>): number => {
  let most = 0;
  for (const stream of streams.values()) most = Math.max(most, stream.seconds());
  return most;
};

interface Page {
  readonly length: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly serial: number;
  /** Samples of the stream up to here; negative where no packet ends. */
  readonly position: number;
  /** Lengths of its parts; one of 255 goes on in the next. */
  readonly parts: Buffer;
  readonly body: Buffer;
}

function pageAt(bytes: Buffer, at: number): Page {
  const parts = bytes.subarray(at + headLength, at + headLength + (bytes[at + 26] ?? 0));
  const from = at + headLength + parts.length;
  let length = 0;
  for (const part of parts) length += part;
  const body = bytes.subarray(from, from + length);
  const flags = bytes[at + 5] ?? 0;
  return {
    length: headLength + parts.length + body.length,
    isFirst: (flags & 2) !== 0,
    isLast: (flags & 4) !== 0,
    serial: bytes.readUInt32LE(at + 14),
    position: Number(bytes.readBigInt64LE(at + 6)),
    parts,
    body,
  };
}

/** Samples of a packet, by what its codec says. */
interface PacketCount {
  readonly rate: number;
  /** Samples before the recording begins. */
  readonly skipped?: number;
  samples(packet: Buffer): number;
}

class OggStream {
  /** Kept whole until the codec is known. */
  private readonly headers: Buffer[] = [];
  private packet: Buffer[] = [];
  private kept = 0;
  private count: PacketCount | null = null;
  private held = 0;
  /** Where the recording begins: what is cut out of a longer one does not begin at 0. */
  private start: number | null = null;
  private last = 0;

  page({ parts, body, position, isLast }: Page): void {
    let from = 0;
    for (const part of parts) {
      this.add(body.subarray(from, from + part));
      from += part;
      if (part < 255) this.endPacket();
    }
    if (position <= 0 || !this.count) return;
    this.start ??= isLast || this.held === 0 ? 0 : Math.max(0, position - this.held);
    this.last = Math.max(this.last, position);
  }

  seconds(): number {
    if (!this.count) return 0;
    const { rate, skipped = 0 } = this.count;
    return longer((this.last - (this.start ?? 0) - skipped) / rate, this.held / rate);
  }

  private add(part: Buffer): void {
    if (this.count && this.kept >= enough) return;
    this.packet.push(part);
    this.kept += part.length;
  }

  private endPacket(): void {
    const packet = this.packet.length === 1 && this.packet[0] ? this.packet[0] : Buffer.concat(this.packet);
    this.packet = [];
    this.kept = 0;
    if (this.count) this.held += this.count.samples(packet);
    else {
      // Whatever comes after the third is no recording we know.
      if (this.headers.length < 3) this.headers.push(packet);
      this.count = packetCount(this.headers);
    }
  }
}

const speexFrameSeconds = 0.02;

/** @returns null as long as the headers do not tell */
function packetCount(headers: readonly Buffer[]): PacketCount | null {
  const [first, , third] = headers;
  if (!first) return null;
  const name = first.toString('latin1', 0, 8);
  if (name === 'OpusHead') {
    // Its second packet is the tags, and would count.
    if (headers.length < 2 || first.length < 12) return null;
    return { rate: opusRate, skipped: first.readUInt16LE(10), samples: opusSamples };
  }
  if (name.startsWith('\x01vorbis') && first.length >= 30) {
    const rate = first.readUInt32LE(12);
    if (!third || rate === 0) return null;
    const packets = VorbisPackets.of(first, third);
    return { rate, samples: (packet) => packets.samples(packet) };
  }
  if (name.startsWith('\x7fFLAC')) {
    const stream = flacStream(first, 17);
    return stream && { rate: stream.rate, samples: (packet) => flacFrame(packet, 0, stream)?.samples ?? 0 };
  }
  if (name === 'Speex   ' && first.length >= 68 && headers.length >= 2) {
    const rate = first.readUInt32LE(36);
    const each = rate * speexFrameSeconds * Math.min(Math.max(first.readUInt32LE(64), 1), 64);
    return rate === 0 ? null : { rate, samples: () => each };
  }
  return null;
}
