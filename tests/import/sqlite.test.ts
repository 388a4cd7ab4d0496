import { describeMove } from './suite.js';

/** Sites of all families, in SQLite files. */
for (const family of ['one-api', 'veloera', 'new-api', 'one-hub'] as const) describeMove(family, 'sqlite');
