import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedError } from './embedded-error.js';
import { isInstanceLocked, takeInstanceLock } from './instance-lock.js';
import { processBeginning, processSpace } from './process-table.js';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-lock-'));
  path = join(folder, 'server.lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const holder = (change: object): void => {
  const mine = { pid: process.pid, beginning: '', space: processSpace(hostname()), id: 'somebody' };
  writeFileSync(path, JSON.stringify({ ...mine, ...change }));
};

it('is held once, told by the holder, and free after', async () => {
  const lock = await takeInstanceLock(path);
  expect(await isInstanceLocked(path)).toBe(true);
  await expect(takeInstanceLock(path)).rejects.toThrow(EmbeddedError);
  await expect(takeInstanceLock(path)).rejects.toThrow(`process ${process.pid}`);
  await lock.release();
  expect(await isInstanceLocked(path)).toBe(false);
  await (await takeInstanceLock(path)).release();
  expect(readdirSync(folder)).toEqual([]);
});

it('is given to one of many at once', async () => {
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => takeInstanceLock(path)));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

it('is taken from a process that is gone', async () => {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  holder({ pid: child.pid });
  await (await takeInstanceLock(path)).release();
});

it('is taken when the number now belongs to another process', async () => {
  holder({ beginning: 'another time' });
  await (await takeInstanceLock(path)).release();
});

it('is kept by the process it names', async () => {
  holder({ beginning: await processBeginning(process.pid) });
  await expect(takeInstanceLock(path)).rejects.toThrow(EmbeddedError);
});

it('is taken when its file is damaged', async () => {
  writeFileSync(path, '{"pid":');
  await (await takeInstanceLock(path)).release();
});

describe('held in another container on the same volume, where process numbers mean nothing', () => {
  it('is taken at once when the holder has been silent for long', async () => {
    holder({ space: 'elsewhere' });
    utimesSync(path, new Date(0), new Date(0));
    await (await takeInstanceLock(path)).release();
  });

  it('is kept while the holder beats, and taken when it does not', async () => {
    holder({ space: 'elsewhere' });
    const beating = setInterval(() => utimesSync(path, new Date(), new Date()), 500);
    await expect(takeInstanceLock(path)).rejects.toThrow(EmbeddedError);
    clearInterval(beating);
    await (await takeInstanceLock(path)).release();
  });
});

it('beats, so that other containers know', async () => {
  const lock = await takeInstanceLock(path);
  utimesSync(path, new Date(0), new Date(0));
  const { statSync } = await import('node:fs');
  for (const deadline = Date.now() + 5000; statSync(path).mtimeMs === 0 && Date.now() < deadline;) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(statSync(path).mtimeMs).toBeGreaterThan(Date.now() - 10_000);
  await lock.release();
});

it('leaves a file alone that is no longer its own', async () => {
  const lock = await takeInstanceLock(path);
  holder({ id: 'the next one' });
  await lock.release();
  expect(existsSync(path)).toBe(true);
  expect(readFileSync(path, 'utf8')).toContain('the next one');
});
