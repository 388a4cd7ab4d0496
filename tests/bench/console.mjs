import '../support/typescript.mjs';

await import('./console.ts');
