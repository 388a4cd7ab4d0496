import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shortLivedReason, warnOfDataFolder } from './data-dir-check.js';

const mounts = [
  '1 0 0:29 / / rw,relatime - overlay overlay rw,lowerdir=/l',
  '2 1 8:1 /data /data rw,relatime shared:5 - ext4 /dev/sda1 rw',
  '3 1 0:30 / /run/fast rw - tmpfs tmpfs rw',
  String.raw`4 1 8:2 / /with\040space rw - xfs /dev/sdb1 rw`,
].join('\n');

it.each([
  ['/app/data', /overlay/],
  ['/run/fast/tollgate', /tmpfs/],
  ['/data', null],
  ['/data/deep/below', null],
  ['/database', /overlay/],
  ['/with space/data', null],
  [join(tmpdir(), 'x'), /temporary/],
])('tells whether %s may be gone at the next start', (folder, expected) => {
  const reason = shortLivedReason(folder, mounts);
  if (expected === null) expect(reason).toBeNull();
  else expect(reason).toMatch(expected);
});

it('says nothing where the system does not list its mounts', () => {
  expect(shortLivedReason('/srv/tollgate', '')).toBeNull();
});

describe('at the start', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tollgate-folder-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const warningsOf = async (path: string): Promise<string[]> => {
    const warnings: string[] = [];
    await warnOfDataFolder(path, { warn: (_details, message) => void warnings.push(message) });
    return warnings.filter((message) => !message.includes('may not survive'));
  };

  it('warns when the spool cannot be written: the next outage of the database would be the first to show it', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(await warningsOf(join(folder, 'file', 'data'))).toEqual([
      expect.stringContaining('DATA_DIR cannot be written'),
    ]);
    await writeFile(join(folder, 'spool'), '');
    expect(await warningsOf(folder)).toHaveLength(1);
    // By its mode root may write to this folder, but the kernel refuses it.
    expect(await warningsOf('/proc/tollgate')).toHaveLength(1);
  });

  it('says nothing about a folder that exists, or that can be made', async () => {
    expect(await warningsOf(folder)).toEqual([]);
    expect(await warningsOf(join(folder, 'not', 'yet'))).toEqual([]);
  });
});
