import '../support/typescript.mjs';

await import('./move-in.ts');
