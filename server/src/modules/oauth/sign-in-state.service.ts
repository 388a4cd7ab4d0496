import { createHash, randomBytes } from 'node:crypto';
import type { SharedState } from '../../cache/shared-state.js';
import { AppError } from '../../shared/errors.js';
import type { ProviderName, Proof } from './identity-provider.js';

/** A sign-in under way. */
export interface PendingSignIn {
  /** The browser it began in. */
  readonly visitor: string;
  /** Who was signed in then, 0 for nobody: a state for binding does not sign in, nor the other way round. */
  readonly userId: number;
  /** Null: the client did not say, so its first and only use decides. */
  readonly provider: ProviderName | null;
  readonly inviterCode: string;
  readonly proof: Omit<Proof, 'state'>;
}

/** 403 on the wire. */
export class StateError extends AppError {
  constructor() {
    super('INVALID_INPUT', 'state is empty or not same', { field: 'state' });
  }
}

const lifetimeSeconds = 600;

/** 128 random bits that come back once, to the same browser, within ten minutes, from the provider they were made for. */
export class SignInStates {
  constructor(private readonly state: SharedState) {}

  make = (): string => randomBytes(16).toString('base64url');

  async keep(text: string, pending: PendingSignIn): Promise<void> {
    await this.state.set(
      keyOf(text),
      JSON.stringify({ ...pending, visitor: digest(pending.visitor) }),
      lifetimeSeconds,
    );
  }

  /** Uses it up, whatever comes of it. @throws StateError */
  async take(
    text: string,
    from: { readonly visitor: string | undefined; readonly userId: number; readonly provider: ProviderName | null },
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
