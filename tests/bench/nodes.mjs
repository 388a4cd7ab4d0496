import '../support/typescript.mjs';

await import('./nodes.ts');
