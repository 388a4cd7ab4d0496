import type { SharedState } from '../../cache/shared-state.js';
import type { OptionValues } from '../../modules/options/option.service.js';
import { AppError } from '../../shared/errors.js';

export interface RateSettings {
  readonly values: Pick<
    OptionValues,
    | 'ModelRequestRateLimitEnabled'
    | 'ModelRequestRateLimitDurationMinutes'
    | 'ModelRequestRateLimitCount'
    | 'ModelRequestRateLimitSuccessCount'
  >;
}

/**
 * The limit of model calls of one user over all nodes (`relay-core.md` 7.1): one count of all calls, one of those that
 * succeeded. Every step is one atomic step of the shared state, and refused calls are not counted.
 */
export class ModelRateLimit {
  constructor(
    private readonly state: Pick<SharedState, 'hit' | 'peek'>,
    private readonly settings: RateSettings,
  ) {}

  get enabled(): boolean {
    return this.settings.values.ModelRequestRateLimitEnabled;
  }

  /** @throws AppError RATE_LIMITED */
  async enter(userId: number): Promise<void> {
    const { minutes, total, success } = this.limits();
    const windowSeconds = minutes * 60;
    // Looked at first, so that a call refused for its successes does not count as one more call.
    const succeeded = await this.state.peek(successKey(userId), success, windowSeconds);
    const whole = succeeded.allowed
      ? await this.state.hit(totalKey(userId), total, windowSeconds)
      : await this.state.peek(totalKey(userId), total, windowSeconds);
    if (!whole.allowed) {
      throw limited(`at most ${total} requests in ${minutes} minutes, failures included`, whole.retryAfterSeconds);
    }
    if (!succeeded.allowed) {
      throw limited(`at most ${success} requests in ${minutes} minutes`, succeeded.retryAfterSeconds);
    }
  }

  /** A call of this user was answered with a status below 400. */
  async succeeded(userId: number): Promise<void> {
    const { minutes, success } = this.limits();
    await this.state.hit(successKey(userId), success, minutes * 60);
  }

  private limits(): { minutes: number; total: number; success: number } {
    const { values } = this.settings;
    return {
      minutes: Math.max(1, values.ModelRequestRateLimitDurationMinutes),
      total: values.ModelRequestRateLimitCount,
      success: values.ModelRequestRateLimitSuccessCount,
    };
  }
}

const limited = (text: string, seconds: number): AppError =>
  new AppError('RATE_LIMITED', `Request limit reached: ${text}`, { retryAfterSeconds: Math.max(1, seconds) });

const totalKey = (userId: number): string => `rate:{${userId}}:model:all`;
const successKey = (userId: number): string => `rate:{${userId}}:model:success`;
