import '../support/typescript.mjs';

await import('./bench.ts');
