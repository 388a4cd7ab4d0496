/*
 * Silent audio files in common formats: each as long as its header states, with no more bytes than a parser of the
 * format needs. `wav` for PCM is in `wav.ts`.
 */

/**
 * MPEG 1 layer III, 128 kbit/s, 44.1 kHz: every frame is 1152 samples.
 * @returns at least `seconds`, in complete frames
 */
export function mp3(seconds: number): Buffer {
  const frame = Buffer.alloc(Math.floor((144 * 128_000) / mp3Rate));
  frame.writeUInt32BE(0xfffb9000, 0);
  return Buffer.concat(Array.from({ length: Math.ceil((seconds * mp3Rate) / mp3FrameSamples) }, () => frame));
}

export const mp3Rate = 44_100;
export const mp3FrameSamples = 1152;

/** Ogg with Vorbis: the audio is between two pages, and the last page has the number of samples. */
export function oggVorbis(seconds: number, rate = 48_000): Buffer {
  const identification = Buffer.alloc(30);
  identification.write('\x01vorbis', 0, 'latin1');
  identification.writeUInt8(1, 11);
  identification.writeUInt32LE(rate, 12);
  identification.writeInt32LE(64_000, 20);
  identification.writeUInt8(0xb8, 28);
  identification.writeUInt8(1, 29);
  const comment = Buffer.concat([Buffer.from('\x03vorbis', 'latin1'), Buffer.alloc(8), Buffer.from([1])]);
  const setup = Buffer.concat([Buffer.from('\x05vorbis', 'latin1'), Buffer.alloc(40)]);
  return Buffer.concat([
    oggPage(0, firstPage, 0, identification),
    oggPage(1, 0, 0, comment),
    oggPage(2, 0, 0, setup),
    oggPage(3, lastPage, Math.round(seconds * rate), Buffer.alloc(100)),
  ]);
}

/** Ogg with Opus, as browsers and messengers record it: always counted at 48 kHz. */
export function oggOpus(seconds: number): Buffer {
  const head = Buffer.alloc(19);
  head.write('OpusHead');
  head.writeUInt8(1, 8);
  head.writeUInt8(1, 9);
  head.writeUInt32LE(48_000, 12);
  const tags = Buffer.concat([Buffer.from('OpusTags'), Buffer.alloc(8)]);
  return Buffer.concat([
    oggPage(0, firstPage, 0, head),
    oggPage(1, 0, 0, tags),
    oggPage(2, lastPage, Math.round(seconds * 48_000), Buffer.alloc(100)),
  ]);
}

/** FLAC: the total number of samples is in its first block. */
export function flac(seconds: number, rate = 16_000): Buffer {
  const info = Buffer.alloc(34);
  info.writeUInt16BE(4096, 0);
  info.writeUInt16BE(4096, 2);
  // 20 bits of rate, 3 of channels - 1, 5 of bits a sample - 1, 36 of samples
  const samples = BigInt(Math.round(seconds * rate));
  info.writeBigUInt64BE((BigInt(rate) << 44n) | (15n << 36n) | samples, 10);
  const lastBlock = Buffer.from([0x80, 0, 0, info.length]);
  return Buffer.concat([Buffer.from('fLaC'), lastBlock, info, Buffer.alloc(100)]);
}

const firstPage = 2;
const lastPage = 4;

function oggPage(number: number, kind: number, position: number, packet: Buffer): Buffer {
  const head = Buffer.alloc(28);
  head.write('OggS');
  head.writeUInt8(kind, 5);
  head.writeBigUInt64LE(BigInt(position), 6);
  head.writeUInt32LE(1, 14);
  head.writeUInt32LE(number, 18);
  head.writeUInt8(1, 26);
  head.writeUInt8(packet.length, 27);
  return Buffer.concat([head, packet]);
}
