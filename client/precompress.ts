import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const compressed = /\.(?:js|css|svg)$/;
/** Smaller ones fit into a packet as they are. */
const smallest = 1024;

/**
 * Leaves a `.br` and a `.gz` beside every file worth it, as small as they get, so that the server never compresses the same
 * file twice.
 */
export function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      for (const name of Object.keys(bundle).filter((file) => compressed.test(file))) {
        const path = join(dir, name);
        const bytes = await readFile(path);
        if (bytes.length < smallest) continue;
        const best = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } };
        await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, best));
        await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
      }
    },
  };
}
