import '../support/typescript.mjs';

await import('./affinity.ts');
