// Starts one of the benchmark's own processes: `node child.mjs floor.ts`.
import '../support/typescript.mjs';

await import(`./${process.argv[2]}`);
