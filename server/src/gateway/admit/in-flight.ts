import type { OptionValues } from '../../options/option.service.js';
import { AppError, UnavailableError } from '../../shared/errors.js';
import type { Caller } from './authentication.js';
import { type ConcurrencySlots, type ConcurrencySlot } from './concurrency-slots.js';

/** The options that limit concurrent calls. */
export interface InFlightSettings {
  readonly values: Pick<
    OptionValues,
    'ModelRequestUserInFlightLimit' | 'ModelRequestTokenInFlightLimit' | 'ModelRequestNodeInFlightLimit'
  >;
}

/** Ends a counted call. Call it when the call has ended. */
type Leave = () => void;

/** The user and key of a call in flight. */
export interface InFlightCaller {
  readonly user: Pick<Caller['user'], 'id'>;
  readonly token: Pick<Caller['token'], 'id'>;
}

/** Limits the concurrent calls of a key and of a user on all nodes, and those of this node; 0 means no limit. */
export class InFlight {
  private all = 0;

  constructor(
    private readonly settings: InFlightSettings,
    private readonly slots: Pick<ConcurrencySlots, 'enter' | 'leave'>,
  ) {}

  /** Calls that this node counts now. */
  get count(): number {
    return this.all;
  }

  /**
   * Counts a call.
   * @returns a function to call when the call has ended or its client has disconnected; repeated calls of it do
   * nothing. It is a promise only near a limit, when calls of other nodes count
   * @throws AppError RATE_LIMITED (key, user), SERVICE_UNAVAILABLE (node)
   */
  enter({ user, token }: InFlightCaller): Leave | Promise<Leave> {
    const {
      ModelRequestUserInFlightLimit: perUser,
      ModelRequestTokenInFlightLimit: perToken,
      ModelRequestNodeInFlightLimit: perNode,
    } = this.settings.values;
    // The playground has no token.
    const ofKey = token.id === 0 ? uncounted : this.slots.enter(`inflight:{t${token.id}}`, perToken);
    const enterUser = (key: ConcurrencySlot | null): Leave | Promise<Leave> => {
      if (!key) throw tooMany(perToken, 'key');
      const ofUser = this.slots.enter(`inflight:{u${user.id}}`, perUser);
      const enterNode = (own: ConcurrencySlot | null): Leave => this.enterNode(key, own, perUser, perNode);
      return ofUser instanceof Promise ? ofUser.then(enterNode) : enterNode(ofUser);
    };
    return ofKey instanceof Promise ? ofKey.then(enterUser) : enterUser(ofKey);
  }

  private enterNode(key: ConcurrencySlot, user: ConcurrencySlot | null, perUser: number, perNode: number): Leave {
    if (!user || (perNode > 0 && this.all >= perNode)) {
      if (key !== uncounted) this.slots.leave(key);
      if (!user) throw tooMany(perUser, 'user');
      this.slots.leave(user);
      throw new UnavailableError('The server has too many calls in flight, try again shortly');
    }
    this.all++;
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.all--;
      if (key !== uncounted) this.slots.leave(key);
      this.slots.leave(user);
    };
  }
}

const uncounted: ConcurrencySlot = { name: '' };

const tooMany = (max: number, whose: string): AppError =>
  new AppError('RATE_LIMITED', `Too many calls at once: at most ${max} of this ${whose}`, { retryAfterSeconds: 1 });
