import '../support/typescript.mjs';

await import('./budgets.ts');
