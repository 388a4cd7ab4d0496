import type { OptionValues } from '../../modules/options/option.service.js';
import { AppError } from '../../shared/errors.js';
import type { Caller } from './authentication.js';

export interface InFlightSettings {
  readonly values: Pick<OptionValues, 'ModelRequestUserInFlightLimit' | 'ModelRequestTokenInFlightLimit'>;
}

/**
 * How many calls of one key, and of one user, may be under way at once; off by default. Each node counts its own: a
 * shared count would keep the calls of a node that died.
 */
export class InFlight {
  private readonly users = new Map<number, number>();
  private readonly tokens = new Map<number, number>();

  constructor(private readonly settings: InFlightSettings) {}

  /** @returns what to call when the call is over; null while nothing is counted @throws AppError RATE_LIMITED */
  enter({ user, token }: Caller): (() => void) | null {
    const { ModelRequestUserInFlightLimit: perUser, ModelRequestTokenInFlightLimit: perToken } = this.settings.values;
    if (perUser === 0 && perToken === 0) return null;
    // The playground has no token.
    if (perToken > 0 && token.id !== 0) refuseAbove(this.tokens, token.id, perToken, 'key');
    if (perUser > 0) refuseAbove(this.users, user.id, perUser, 'user');
    add(this.tokens, token.id, 1);
    add(this.users, user.id, 1);
    return () => {
      add(this.tokens, token.id, -1);
      add(this.users, user.id, -1);
    };
  }
}

function refuseAbove(counts: ReadonlyMap<number, number>, id: number, most: number, whose: string): void {
  if ((counts.get(id) ?? 0) < most) return;
  throw new AppError('RATE_LIMITED', `Too many calls at once: at most ${most} of this ${whose}`, {
    retryAfterSeconds: 1,
  });
}

function add(counts: Map<number, number>, id: number, change: number): void {
  const count = (counts.get(id) ?? 0) + change;
  if (count > 0) counts.set(id, count);
  else counts.delete(id);
}
