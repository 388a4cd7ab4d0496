import { createHash, randomBytes } from 'node:crypto';
import type { SharedState } from '../../platform/cache/shared-state.js';
import { AppError } from '../../shared/errors.js';
import type { Proof } from './identity-provider.js';

/** A sign-in in progress. */
export interface PendingSignIn {
  /** Id of the browser that started it. */
  readonly visitor: string;
  /** The user who was signed in at that time, or 0. A state for binding cannot be used to sign in, and vice versa. */
  readonly userId: number;
  /** The name of the provider, or the slug of a row. Null when the client named none, so that the first use decides. */
  readonly provider: string | null;
  readonly inviterCode: string;
  readonly proof: Omit<Proof, 'state'>;
}

/** A state is missing, expired or of another browser. It has status 403 in REST. */
export class StateError extends AppError {
  constructor() {
    super('INVALID_INPUT', 'state is empty or not same', { field: 'state' });
  }
}

const lifetimeSeconds = 600;

/** One-time states of 128 random bits, valid for ten minutes, bound to browser, user and provider. */
export class SignInStates {
  constructor(private readonly state: SharedState) {}

  make = (): string => randomBytes(16).toString('base64url');

  /** Stores a sign-in in progress under its state. The visitor is stored as a digest. */
  async keep(text: string, pending: PendingSignIn): Promise<void> {
    await this.state.set(
      keyOf(text),
      JSON.stringify({ ...pending, visitor: digest(pending.visitor) }),
      lifetimeSeconds,
    );
  }

  /**
   * Consumes the state, even when it does not match.
   * @throws StateError
   */
  async take(
    text: string,
    from: { readonly visitor: string | undefined; readonly userId: number; readonly provider: string | null },
  ): Promise<PendingSignIn> {
    if (!/^[\w-]{22}$/.test(text) || from.visitor === undefined) throw new StateError();
    const held = await this.state.take(keyOf(text));
    if (held === null) throw new StateError();
    const pending = JSON.parse(held) as PendingSignIn;
    const same =
      pending.visitor === digest(from.visitor) &&
      pending.userId === from.userId &&
      (pending.provider === null || pending.provider === from.provider);
    if (!same) throw new StateError();
    return pending;
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
const keyOf = (text: string): string => `oauth-state:${digest(text)}`;
