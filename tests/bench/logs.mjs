import '../support/typescript.mjs';

await import('./logs.ts');
