/** `npm test [-- jest parameters]`. See `run.ts`. */
import './typescript.mjs';

const { run } = await import('./run.ts');
process.exitCode = await run(process.argv.slice(2));
