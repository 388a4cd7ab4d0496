/** `npm test [-- jest parameters]`. Everything it does is in `run.ts`. */
import './typescript.mjs';

const { run } = await import('./run.ts');
process.exitCode = await run(process.argv.slice(2));
