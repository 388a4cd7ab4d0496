import { percent } from '../../lib/format.js';
import type { Tone } from '../../components/Tone.js';
import type { ToneName } from '../../theme/tokens.js';
import type { StatusPageQuery } from './statusPage.generated.js';

export type StatusData = NonNullable<StatusPageQuery['statusPage']>;
export type ServiceRow = StatusData['services'][number];

export const stateTones = { OPERATIONAL: 'green', DEGRADED: 'amber', OUTAGE: 'red' } as const satisfies Record<
  ServiceRow['state'],
  ToneName & Tone
>;

/** Number of buckets of the period. */
export const bucketsOf = ({ from, until, bucketSeconds }: StatusData): number =>
  Math.round((Date.parse(until) - Date.parse(from)) / 1000 / bucketSeconds);

/** Rounds down, so that 100 % means that there was no outage. */
export const uptimeText = (uptime: number): string => percent(Math.floor(uptime * 1000) / 1000, 1);
