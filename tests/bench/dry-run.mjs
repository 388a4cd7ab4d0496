import '../support/typescript.mjs';

await import('./dry-run.ts');
