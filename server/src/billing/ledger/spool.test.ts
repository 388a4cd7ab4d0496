import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Spool } from './spool.js';

const line = (requestId: string) => ({ requestId, userId: 1, json: JSON.stringify({ request_id: requestId }) });

let folder: string;
let spool: Spool;
let write: jest.SpyInstance;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-spool-'));
  spool = new Spool(folder, 'node');
  const handle = await open(join(folder, 'any'), 'w');
  write = jest.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'write');
  await handle.close();
});
afterEach(async () => {
  write.mockRestore();
  await spool.close();
  rmSync(folder, { recursive: true });
});

const idsOf = async (): Promise<string[]> => {
  await spool.rotate();
  const names = await spool.pending(() => false);
  return (await Promise.all(names.map((name) => spool.read(name)))).flat().map(({ requestId }) => requestId);
};

/** Limits the next write to so many bytes, as on a disk that is nearly full. */
const takeOnly = (bytes: number): void =>
  void write.mockImplementationOnce(async function (this: FileHandle, data: Buffer | string) {
    const { bytesWritten } = await this.writev([Buffer.from(data as string).subarray(0, bytes)]);
    return { bytesWritten, buffer: data };
  });

it('writes all of a line of which the disk takes only a part at first', async () => {
  takeOnly(10);
  await spool.append([line('one'), line('two')]);
  expect(await idsOf()).toEqual(['one', 'two']);
});

it('a line that a full disk cut off is refused, and spoils none after it', async () => {
  takeOnly(10);
  write.mockRejectedValueOnce(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
  await expect(spool.append([line('one')])).rejects.toThrow('no space left');
  await spool.append([line('two')]);
  expect(await idsOf()).toEqual(['two']);
});

it('a refused line that a full disk cut off spoils none after it', async () => {
  takeOnly(10);
  write.mockRejectedValueOnce(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
  await expect(spool.reject(line('one'), 'refused')).rejects.toThrow('no space left');
  await spool.reject(line('two'), 'refused');
  const [, whole, ...more] = readFileSync(join(folder, 'rejected.jsonl'), 'utf8').trimEnd().split('\n');
  expect(JSON.parse(whole ?? '')).toMatchObject({ reason: 'refused', line: expect.stringContaining('two') as string });
  expect(more).toEqual([]);
});

it('flushes its folder with each new file, whose name a power failure would take otherwise', async () => {
  const handle = await open(join(folder, 'any'), 'r');
  const sync = jest.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'sync');
  await handle.close();
  await spool.append([line('one')]);
  await spool.append([line('two')]);
  expect(sync).toHaveBeenCalledTimes(1);
  await spool.rotate();
  await spool.append([line('three')]);
  expect(sync).toHaveBeenCalledTimes(2);
  sync.mockRestore();
});
