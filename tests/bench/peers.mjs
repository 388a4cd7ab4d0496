import '../support/typescript.mjs';

await import('./peers.ts');
