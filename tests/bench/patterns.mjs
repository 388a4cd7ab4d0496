import '../support/typescript.mjs';

await import('./patterns.ts');
