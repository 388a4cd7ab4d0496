import { Foundation1763600000000 } from './1763600000000-foundation.js';
import { Ledger1763600000001 } from './1763600000001-ledger.js';

/** Every migration in order. A released one is never edited. */
export const migrations = [Foundation1763600000000, Ledger1763600000001];
