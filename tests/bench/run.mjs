import '../support/typescript.mjs';

// Apart from the others: it needs a server with a small heap, and compares nothing.
await (process.argv.includes('hostile') ? import('./hostile.ts') : import('./bench.ts'));
