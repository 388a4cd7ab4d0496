/**
 * Lets plain Node run the TypeScript of this folder: `import './typescript.mjs'`, then `await import('./x.ts')`. For
 * programs that start before anything is built (the test runner, the benchmark); the server itself is always built.
 */
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
