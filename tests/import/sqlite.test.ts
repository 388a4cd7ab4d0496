import { describeMove } from './suite.js';

/** Sites of all families, in SQLite files. */
for (const family of ['one-api', 'veloera', 'new-api'] as const) describeMove(family, 'sqlite');
