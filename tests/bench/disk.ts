import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quantile } from './load.js';

const flushes = 500;
const page = Buffer.alloc(8192, 1);
const fileBytes = 16 * 2 ** 20;

/**
 * Measures one flush on the disk of the benchmark's Postgres (`TMPDIR`). A charge waits for one flush, so no gateway can be
 * faster.
 * @returns milliseconds
 */
export async function flushTimes(): Promise<{ p50: number; p99: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-flush-'));
  try {
    const file = await open(join(folder, 'file'), 'w');
    try {
      // The file is written completely first, like a write-ahead file. Only then does a flush write nothing but the page.
      await file.write(Buffer.alloc(fileBytes));
      await file.sync();
      const took: number[] = [];
      for (let at = 0; at < flushes; at++) {
        const started = performance.now();
        await file.write(page, 0, page.length, (at * page.length) % fileBytes);
        await file.datasync();
        took.push(performance.now() - started);
      }
      took.sort((a, b) => a - b);
      return { p50: quantile(took, 0.5), p99: quantile(took, 0.99) };
    } finally {
      await file.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
