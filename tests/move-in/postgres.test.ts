import { describeMove } from './suite.js';

for (const family of ['one-api', 'veloera', 'new-api'] as const) describeMove(family, 'postgres');
