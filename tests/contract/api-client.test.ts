import { transformFile } from '@swc/core';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chat } from '../support/upstream/replies.js';
import { startServer, type TestServer } from '../support/server.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';

/** A TypeScript client that `openapi-typescript` generates from the document of a running site. */
const root = join(import.meta.dirname, '../..');
// Inside the project, so that packages are found.
const folder = join(root, 'tests/.output', `api-client-${process.pid}`);
const run = promisify(execFile);
const node = (...parts: string[]): ReturnType<typeof run> =>
  run(process.execPath, parts, { cwd: folder, maxBuffer: 16 * 1024 * 1024 });

let server: TestServer;
let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream();
  server = await startServer();
  await mkdir(folder, { recursive: true });
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await server.stop();
  await upstream.stop();
});

it('is free of type errors and runs the first hour of a new site', async () => {
  const document = await (await fetch(`${server.url}/openapi.json`)).text();
  await writeFile(join(folder, 'openapi.json'), document);
  await node(join(root, 'node_modules/openapi-typescript/bin/cli.js'), 'openapi.json', '-o', 'api.ts');
  const program = join(root, 'tests/fixtures/api-client/first-hour.ts');
  await copyFile(program, join(folder, 'first-hour.ts'));
  const options = {
    compilerOptions: {
      target: 'ES2023',
      module: 'NodeNext',
      moduleResolution: 'NodeNext',
      lib: ['ES2023', 'DOM', 'DOM.Iterable'],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
      noUncheckedIndexedAccess: true,
    },
    files: ['first-hour.ts'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(options));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const checked = await node(join(root, 'node_modules/ts7/bin/tsc'), '-p', '.').catch(
    (error: unknown) => error as { stdout: string },
  );
  expect(checked.stdout).toBe('');

  const { code } = await transformFile(program, {
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'es6' },
  });
  await writeFile(join(folder, 'first-hour.js'), code);
  upstream.script({}, chat({ text: 'Hello', usage: { prompt_tokens: 1000, completion_tokens: 500 } }));
  const { stdout } = await node('first-hour.js', server.url, upstream.url);
  // 1,000 × 2.5 USD + 500 × 10 USD per million tokens are 0.0075 USD.
  expect(JSON.parse(String(stdout))).toEqual({ text: 'Hello', charged: [3750], user: ['grace'], refusal: 'NOT_FOUND' });
});
