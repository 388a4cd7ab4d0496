import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { collectGarbage } from '../../../../../tests/support/collect-garbage.js';
import { growth } from '../../../../../tests/support/growth.js';
import { wav } from '../../../../../tests/support/wav.js';
import { InvalidInputError } from '../../../shared/errors.js';
import { audioDuration } from './audio-duration.js';

/*
 * The files of `__fixtures__/` are two seconds of one tone each, made with ffmpeg: `ffmpeg -f lavfi -i
 * sine=duration=2:sample_rate=16000 -c:a … two.…`; `live.webm` with `-live 1`, which states no length; `fragments.mp4`
 * with `-movflags +frag_keyframe+empty_moov -frag_duration 500000`.
 */
const recorded = (name: string): Buffer => readFileSync(join(import.meta.dirname, '__fixtures__', name));

const names = [
  'two.wav',
  'two.mp3',
  'two.aac',
  'two.flac',
  'two.opus',
  'two.ogg',
  'two.m4a',
  'fragments.mp4',
  'two.webm',
  'live.webm',
] as const;
/** Seconds. Codecs add a little silence at both ends. */
const silence = 0.25;

it.each(names)('%s is as long as it sounds', async (name) => {
  const seconds = await audioDuration(recorded(name));
  // A reader may leave out the last, incomplete frame.
  expect(seconds).toBeGreaterThan(1.98);
  expect(seconds).toBeLessThan(2 + silence);
});

it.each(['two.flac', 'two.opus', 'two.ogg', 'two.m4a'])(
  '%s: silence that the codec adds, and its header leaves out, begins no other second',
  async (name) => {
    expect(Math.ceil(await audioDuration(recorded(name)))).toBe(2);
  },
);

/** Changes values in the header of a file. */
type Edit = (bytes: Buffer) => void;

const changed = (bytes: Buffer, edit: Edit): Buffer => {
  const copy = Buffer.from(bytes);
  edit(copy);
  return copy;
};

const each = (bytes: Buffer, text: string, edit: (at: number) => void): void => {
  let found = 0;
  for (let at = bytes.indexOf(text, 0, 'latin1'); at >= 0; at = bytes.indexOf(text, at + 1, 'latin1')) {
    edit(at);
    found++;
  }
  expect(found).toBeGreaterThan(0);
};

const oggPositions =
  (position: (was: bigint) => bigint): Edit =>
  (bytes) =>
    each(bytes, 'OggS', (at) => bytes.writeBigInt64LE(position(bytes.readBigInt64LE(at + 6)), at + 6));
const flacTotal =
  (samples: number): Edit =>
  (bytes) => {
    bytes[21] = (bytes[21] ?? 0) & 0xf0;
    bytes.writeUInt32BE(samples, 22);
  };
const xingFrames =
  (frames: number): Edit =>
  (bytes) =>
    each(bytes, 'Info', (at) => {
      bytes.writeUInt32BE(frames, at + 8);
    });
/** Multiplies the durations in a track's headers and in each entry of its time table by `factor`. */
const trackTimes =
  (factor: number): Edit =>
  (bytes) => {
    each(bytes, 'tkhd', (at) => bytes.writeUInt32BE(Math.floor(bytes.readUInt32BE(at + 24) * factor), at + 24));
    each(bytes, 'mdhd', (at) => bytes.writeUInt32BE(Math.floor(bytes.readUInt32BE(at + 20) * factor), at + 20));
    each(bytes, 'stts', (at) => {
      const entries = bytes.readUInt32BE(at + 8);
      for (let entry = 0; entry < entries; entry++) {
        const delta = at + 16 + entry * 8;
        bytes.writeUInt32BE(Math.floor(bytes.readUInt32BE(delta) * factor), delta);
      }
    });
  };
/** Sets the durations of a fragment: each packet has its own duration, or all share one. */
const fragmentTimes: Edit = (bytes) => {
  each(bytes, 'tfhd', (at) => {
    const flags = bytes.readUIntBE(at + 5, 3);
    const duration = at + 12 + ((flags & 1) === 0 ? 0 : 8) + ((flags & 2) === 0 ? 0 : 4);
    if ((flags & 8) !== 0) bytes.writeUInt32BE(1, duration);
  });
  each(bytes, 'trun', (at) => {
    const flags = bytes.readUIntBE(at + 5, 3);
    if ((flags & 0x100) === 0) return;
    const size = [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length * 4;
    const from = at + 12 + ((flags & 1) === 0 ? 0 : 4) + ((flags & 4) === 0 ? 0 : 4);
    for (let packet = 0; packet < bytes.readUInt32BE(at + 8); packet++) bytes.writeUInt32BE(1, from + packet * size);
  });
};
const webmDuration =
  (milliseconds: number): Edit =>
  (bytes) =>
    each(bytes, '\x44\x89\x88', (at) => bytes.writeDoubleBE(milliseconds, at + 3));
/** Sets the times of all blocks to zero. */
const webmTimes: Edit = (bytes) => {
  const cluster = bytes.indexOf(Buffer.from('1f43b675', 'hex'));
  expect(cluster).toBeGreaterThan(0);
  for (let at = bytes.indexOf(0xa3, cluster); at >= 0; at = bytes.indexOf(0xa3, at + 1)) {
    // A block has: its length in one or two bytes, the first track, two bytes of time, flags.
    const head = (bytes[at + 1] ?? 0) >= 0x80 ? 2 : 3;
    if (bytes[at + head] === 0x81 && ((bytes[at + head + 3] ?? 0) & 0x7f) === 0) bytes.writeInt16BE(0, at + head + 1);
  }
};
const wavLength =
  (length: (was: number) => number): Edit =>
  (bytes) =>
    each(bytes, 'data', (at) => bytes.writeUInt32LE(length(bytes.readUInt32LE(at + 4)), at + 4));

const both =
  (...edits: readonly Edit[]): Edit =>
  (bytes) => {
    for (const edit of edits) edit(bytes);
  };

describe('a header that claims less than the recording holds', () => {
  it.each<[string, (typeof names)[number], Edit]>([
    ['WAV: a byte of data', 'two.wav', wavLength(() => 1)],
    ['WAV: a sample in all', 'two.wav', (bytes) => each(bytes, 'fact', (at) => bytes.writeUInt32LE(1, at + 8))],
    ['WAV: no data yet', 'two.wav', wavLength(() => 0)],
    ['WAV: data without end', 'two.wav', wavLength(() => 0xffffffff)],
    ['WAV: a false number of bytes a second', 'two.wav', (bytes) => void bytes.writeUInt32LE(0x7fffffff, 28)],
    ['WebM: a millisecond', 'two.webm', both(webmDuration(1), webmTimes)],
    ['WebM without a length: blocks of no time', 'live.webm', webmTimes],
  ])('%s: what it holds counts', async (_name, file, edit) => {
    const seconds = await audioDuration(changed(recorded(file), edit));
    expect(seconds).toBeGreaterThan(1.9);
    expect(seconds).toBeLessThan(2 + silence);
  });

  it('WAV: what stands behind the claimed end counts, chunks aside', async () => {
    const noted = Buffer.concat([wav(3), Buffer.from('LIST\x04\0\0\0INFO', 'latin1')]);
    expect(await audioDuration(noted)).toBe(3);
    const twice = Buffer.concat([wav(3), wav(2).subarray(36)]);
    expect(await audioDuration(twice)).toBeCloseTo(5, 2);
    const hidden = changed(wav(3), (bytes) => void bytes.writeUInt32LE(16_000, 40));
    expect(await audioDuration(hidden)).toBeCloseTo(3, 2);
  });

  /**
   * Each case is a megabyte of copies whose headers state (almost) no length. ffmpeg writes two channels into each MP4
   * file.
   */
  it.each<[string, (typeof names)[number], Edit, number]>([
    ['FLAC: a sample in all', 'two.flac', flacTotal(1), 31],
    ['FLAC: no number', 'two.flac', flacTotal(0), 31],
    ['FLAC: an impossible sample rate', 'two.flac', (bytes) => void bytes.writeUIntBE(0xffff00, 18, 3), 2.6],
    ['Opus: all pages end at the beginning', 'two.opus', oggPositions(() => 1n), 31],
    ['Vorbis: all pages end at the beginning', 'two.ogg', oggPositions(() => 1n), 31],
    ['MP3: one frame in its table', 'two.mp3', xingFrames(1), 25],
    ['M4A: a track of no time', 'two.m4a', trackTimes(0), 15],
    ['M4A: a thousandth of its time', 'two.m4a', trackTimes(0.001), 15],
    ['MP4 in fragments: packets of no time', 'fragments.mp4', fragmentTimes, 15],
    ['WebM: a millisecond', 'two.webm', both(webmDuration(1), webmTimes), 31],
  ])('%s: the bytes are charged at the highest bitrate of the codec', async (_name, file, edit, least) => {
    const bytes = changed(recorded(file), edit);
    const copies = Array.from({ length: Math.ceil(1_000_000 / bytes.length) }, () => bytes);
    const seconds = await audioDuration(Buffer.concat(copies));
    expect(seconds).toBeGreaterThan(least);
    expect(seconds).toBeLessThan(40);
  });

  it.each<[string, (typeof names)[number], Edit]>([
    ['Opus: no page has an end', 'two.opus', oggPositions(() => -1n)],
    ['Vorbis: the last page ends before the first', 'two.ogg', oggPositions((was) => -was)],
  ])('%s: is rejected', async (_name, file, edit) => {
    await expect(audioDuration(changed(recorded(file), edit))).rejects.toBeInstanceOf(InvalidInputError);
  });
});

it('pictures in tags are not sound', async () => {
  const picture = Buffer.concat([Buffer.from('\0image/png\0\x03\0', 'latin1'), Buffer.alloc(500_000, 1)]);
  const frame = Buffer.alloc(10);
  frame.write('APIC', 'latin1');
  frame.writeUInt32BE(picture.length, 4);
  const size = picture.length + frame.length;
  const head = Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, size >> 21, (size >> 14) & 127, (size >> 7) & 127, size & 127]);
  expect(await audioDuration(Buffer.concat([head, frame, picture, recorded('two.mp3')]))).toBeLessThan(2 + silence);
});

describe('a header that claims more than the recording holds', () => {
  it.each<[string, (typeof names)[number], Edit]>([
    ['FLAC', 'two.flac', flacTotal(64_000)],
    ['Opus', 'two.opus', oggPositions((was) => (was > 48_000n ? 192_000n : was))],
    ['MP3', 'two.mp3', xingFrames(112)],
    ['M4A', 'two.m4a', trackTimes(2)],
    ['WebM', 'two.webm', webmDuration(4000)],
  ])('%s: the claim counts', async (_name, file, edit) => {
    const seconds = await audioDuration(changed(recorded(file), edit));
    expect(seconds).toBeGreaterThan(3.9);
    expect(seconds).toBeLessThan(4 + 2 * silence);
  });

  it('is refused beyond a day', async () => {
    const long = changed(recorded('two.flac'), flacTotal(86_401 * 16_000));
    await expect(audioDuration(long)).rejects.toBeInstanceOf(InvalidInputError);
  });
});

describe('fragments that state more samples than they hold', () => {
  /** Writes the flags and the number of samples of the first run. */
  const stating = (flags: number, samples: number): Buffer =>
    changed(recorded('fragments.mp4'), (copy) => {
      const run = copy.indexOf('trun') + 4;
      copy.writeUInt32BE(flags, run);
      copy.writeUInt32BE(samples, run + 4);
    });

  // Samples without fields take no bytes, so only the header limits the length of a run.
  it.each([
    ['21 hours', 1, 1_200_000],
    ['all the memory', 1, 0xffffffff],
    ['all the memory, without an offset', 0, 0xffffffff],
  ])('are refused: %s', async (_name, flags, samples) => {
    await expect(audioDuration(stating(flags, samples))).rejects.toBeInstanceOf(InvalidInputError);
  });

  it('are measured where each states its size', async () => {
    expect(await audioDuration(stating(0x201, 0xffffffff))).toBeGreaterThan(1);
  });
});

/**
 * Returns the bytes that are held at most between two turns while `work` runs and after it, without what is garbage, and how often a timer
 * fired meanwhile. Some work is over before it can.
 */
async function heldDuring(work: () => Promise<unknown>): Promise<{ readonly held: number; readonly turns: number }> {
  const held = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = held();
  let most = before;
  // A collection takes longer than most turns.
  let turns = 0;
  const timer = setInterval(() => {
    if (turns++ % 20 === 0) most = Math.max(most, held());
  }, 0);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  most = Math.max(most, held());
  return { held: most - before, turns };
}

describe('whatever is sent', () => {
  // `music-metadata` throws an error at each byte that begins no frame. The stack traces took a third of the time.
  const { stackTraceLimit } = Error;
  beforeAll(() => void (Error.stackTraceLimit = 0));
  afterAll(() => void (Error.stackTraceLimit = stackTraceLimit));

  const measured = async (bytes: Buffer): Promise<void> => {
    const seconds = await audioDuration(bytes).catch((error: unknown) => {
      expect(error).toBeInstanceOf(InvalidInputError);
      return 1;
    });
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(86_400);
  };

  it('is measured or refused: recordings with wrong bytes, cut off and put together', async () => {
    const files = names.map(recorded);
    const wrong = fc.record({
      file: fc.constantFrom(...files),
      edits: fc.array(fc.tuple(fc.nat(), fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff))), {
        maxLength: 40,
      }),
      // Most of the fields that a parser trusts are at the beginning.
      near: fc.constantFrom(64, 512, 1 << 20),
      cut: fc.nat(),
      other: fc.option(fc.constantFrom(...files)),
    });
    await fc.assert(
      fc.asyncProperty(wrong, async ({ file, edits, near, cut, other }) => {
        const bytes = changed(file, (copy) => {
          for (const [at, value] of edits) copy[at % Math.min(near, copy.length)] = value;
        });
        await measured(bytes);
        await measured(Buffer.concat([bytes.subarray(0, cut % bytes.length), other ?? Buffer.alloc(0)]));
      }),
      { numRuns: 1500 },
    );
  });

  it('is measured or refused: noise that begins like a recording', async () => {
    const beginnings = names.map((name) => recorded(name).subarray(0, 64));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...beginnings),
        fc.nat(64),
        fc.uint8Array({ maxLength: 600 }),
        (beginning, length, noise) => measured(Buffer.concat([beginning.subarray(0, length), noise])),
      ),
      { numRuns: 1500 },
    );
  });

  it('takes time and memory that grow with its length and no faster, and lets others run meanwhile', async () => {
    const filled = (beginning: string, unit: string, length: number): Buffer => {
      const bytes = Buffer.alloc(length).fill(Buffer.from(unit, 'hex'));
      bytes.write(beginning, 'latin1');
      return bytes;
    };
    const hostile: ReadonlyArray<readonly [string, string]> = [
      // The list has pages that each begin a stream, empty pages, nested boxes, empty elements, and blocks that
      // announce packets.
      ['OggS', `4f6767530002${'00'.repeat(21)}`],
      ['OggS', `4f6767530000${'00'.repeat(21)}`],
      ['\0\0\0\x08ftyp', '000000086d6f6f66'],
      ['\0\0\0\x08ftyp', '000000087472616b'],
      ['\x1aE\xdf\xa3\x80', 'a380'],
      ['\x1aE\xdf\xa3\x80\xae\x80\xd7\x81\x01\x86\x86A_OPUS', 'a38681000004ff00'],
      ['\x1aE\xdf\xa3\x80\xae\x80\xd7\x81\x01\x86\x86A_OPUS', 'a38681000002ffff'],
      ['RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\0\0\0\0\x02\0\x10\0', '6461746101000000'],
      ['\xff\xfb\x90\0', 'fffb'],
      ['\xff\xf1', 'fff15000'],
      [`fLaC\0\0\0\x22${'\0'.repeat(10)}\x0f\xa0\0\xf0${'\0'.repeat(20)}\x80\0\0\0`, 'fff8c9180000'],
    ];
    const measureAll = async (length: number): Promise<void> => {
      for (const [beginning, unit] of hostile) await measured(filled(beginning, unit, length));
    };
    const quarter = 128 * 1024;
    // The input has four times the bytes. Quadratic time would be sixteen times as long.
    expect(await growth(measureAll, quarter, 4 * quarter)).toBeLessThan(8);
    let sampled = 0;
    for (const [beginning, unit] of hostile) {
      const bytes = filled(beginning, unit, 4 * quarter);
      const during = await heldDuring(() => measured(bytes));
      expect(during.held).toBeLessThan(bytes.length * 25);
      sampled += during.turns;
    }
    expect(sampled).toBeGreaterThan(0);

    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await measured(Buffer.concat(Array.from({ length: 500 }, () => recorded('two.aac'))));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
  }, 240_000);
});
