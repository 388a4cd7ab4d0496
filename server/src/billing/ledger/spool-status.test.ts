import { renameSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Metrics } from '../../platform/observability/metrics.js';
import { readSpool, watchSpool } from './spool-status.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spool-status-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('counts what waits, in open files and in those being replayed, apart from what was refused', async () => {
  await writeFile(join(folder, 'a.jsonl'), '{}\n{}\n');
  await writeFile(join(folder, 'b.1.replay'), '{}\n');
  await writeFile(join(folder, 'rejected.jsonl'), '{}\n{}\n{}\n');
  await writeFile(join(folder, 'note.txt'), 'x\n');
  const found = await readSpool(folder);
  expect(found).toMatchObject({ waiting: 3, rejected: 3 });
  expect(found.oldestSeconds).toBeGreaterThan(0);
});

it('finds nothing in an empty or missing folder', async () => {
  expect(await readSpool(folder)).toEqual({ waiting: 0, oldestSeconds: 0, rejected: 0 });
  expect(await readSpool(join(folder, 'missing'))).toEqual({ waiting: 0, oldestSeconds: 0, rejected: 0 });
});

it('counts nothing in empty files: a full disk leaves one, and so does the last refused line that was deleted', async () => {
  await writeFile(join(folder, 'a.jsonl'), '');
  await writeFile(join(folder, 'rejected.jsonl'), '{}\n');
  const counted = new Map();
  expect(await readSpool(folder, counted)).toEqual({ waiting: 0, oldestSeconds: 0, rejected: 1 });
  await writeFile(join(folder, 'rejected.jsonl'), '');
  expect(await readSpool(folder, counted)).toEqual({ waiting: 0, oldestSeconds: 0, rejected: 0 });
});

it('takes a file that cannot be read for one settlement that waits, and counts the others', async () => {
  const counted = new Map();
  await mkdir(join(folder, 'a.jsonl'));
  await writeFile(join(folder, 'b.jsonl'), '{}\n');
  for (const _ of [1, 2]) expect(await readSpool(folder, counted)).toMatchObject({ waiting: 2, rejected: 0 });
  await rm(join(folder, 'a.jsonl'), { recursive: true });
  await writeFile(join(folder, 'a.jsonl'), '{}\n{}\n');
  expect(await readSpool(folder, counted)).toMatchObject({ waiting: 3 });
});

it('counts a file that is renamed for its replay while the folder is read', async () => {
  await writeFile(join(folder, 'a.jsonl'), '{}\n{}\n');
  const counted = new Map<string, never>();
  counted.get = (name) => {
    if (name === 'a.jsonl') renameSync(join(folder, name), join(folder, 'a.1.replay'));
    return undefined;
  };
  expect(await readSpool(folder, counted)).toMatchObject({ waiting: 2 });
});

it('shows at each scrape what was added and what was removed since the last', async () => {
  const metrics = new Metrics(false);
  watchSpool(folder, { waitingInMemory: 0 }, metrics);
  const waiting = async (): Promise<string | undefined> =>
    /^tollgate_ledger_spooled (\d+)$/m.exec(await metrics.scrape())?.[1];
  expect(await waiting()).toBe('0');
  await writeFile(join(folder, 'a.jsonl'), '{}\n');
  expect(await waiting()).toBe('1');
  await appendFile(join(folder, 'a.jsonl'), '{}\n{}\n');
  expect(await waiting()).toBe('3');
  // A shorter file of the same name replaces it.
  await writeFile(join(folder, 'a.jsonl'), '{}\n');
  await appendFile(join(folder, 'rejected.jsonl'), '{}\n');
  const text = await metrics.scrape();
  expect(text).toMatch(/^tollgate_ledger_spooled 1$/m);
  expect(text).toMatch(/^tollgate_ledger_rejected 1$/m);
  expect(Number(/^tollgate_ledger_spool_oldest_seconds (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(0);
  await rm(join(folder, 'a.jsonl'));
  expect(await waiting()).toBe('0');
});
