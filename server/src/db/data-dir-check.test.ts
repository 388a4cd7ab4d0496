import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shortLivedReason } from './data-dir-check.js';

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
