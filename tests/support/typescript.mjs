/** `node --import ./tests/support/typescript.mjs x.ts`: for programs that start before anything is built. */
import { fileURLToPath } from 'node:url';

process.env.TS_NODE_PROJECT ??= fileURLToPath(new URL('../tsconfig.json', import.meta.url));
await import('@swc-node/register/esm-register');
