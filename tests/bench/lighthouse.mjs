import '../support/typescript.mjs';

await import('./lighthouse.ts');
