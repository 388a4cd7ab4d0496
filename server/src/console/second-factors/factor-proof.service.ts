import bcrypt from 'bcrypt';
import { LessThan, type Repository } from 'typeorm';
import type { SharedState } from '../../platform/cache/shared-state.js';
import type { Clock } from '../../shared/clock.js';
import { AppError, InvalidInputError } from '../../shared/errors.js';
import type { Secrets } from '../../shared/secrets.js';
import type { AuthenticatorApp } from './authenticator-app.entity.js';
import { canUsePasskeys, type Ceremony, type PasskeyService } from './passkey.service.js';
import { RecoveryCode } from './recovery-code.entity.js';
import { stepOfCode } from './totp.js';

/** A second factor as the user shows it. Exactly one of the fields is set. */
export interface FactorProof {
  /** Six digits of the authenticator app. */
  readonly code?: string | null;
  readonly recoveryCode?: string | null;
  /** The JSON form of the browser's `PublicKeyCredential`. */
  readonly passkey?: unknown;
}

export type FactorKind = 'authenticatorApp' | 'passkey' | 'recoveryCode';

/**
 * The origin of a proof. A known browser and a session are counted separately, so that guesses of others never lock the
 * owner out.
 */
export interface ProofOrigin {
  /** The name of a known browser, a session, or an address. */
  readonly name: string;
  /** Whether the owner signed in from there before. */
  readonly isKnown: boolean;
}

interface Limit {
  readonly count: number;
  readonly seconds: number;
}

/** Limits wrong proofs for one user from one origin. */
const originLimit: Limit = { count: 20, seconds: 3600 };

/**
 * Limits wrong codes for one user from all unknown origins together. Three codes of a million are valid at one
 * moment, so continuous guessing finds one with a chance of 2.2 % in a year; with 20 an hour it would be 41 %.
 */
const unknownLimit: Limit = { count: 20, seconds: 86_400 };

/** Checks second factors. A code, a recovery code and a passkey's response each count once. */
export class FactorProofService {
  constructor(
    private readonly deps: {
      readonly apps: Repository<AuthenticatorApp>;
      readonly passkeys: PasskeyService;
      readonly secrets: Secrets;
      readonly state: SharedState;
      readonly clock: Clock;
    },
  ) {}

  private async kindsOf(userId: number): Promise<FactorKind[]> {
    const [row] = await this.deps.apps.query<Array<Record<FactorKind, boolean>>>(
      `SELECT EXISTS (SELECT FROM authenticator_apps WHERE user_id = $1 AND confirmed_at IS NOT NULL) AS "authenticatorApp",
              EXISTS (SELECT FROM passkeys WHERE user_id = $1) AS passkey,
              EXISTS (SELECT FROM recovery_codes WHERE user_id = $1) AS "recoveryCode"`,
      [userId],
    );
    const kinds: readonly FactorKind[] = ['authenticatorApp', 'passkey', 'recoveryCode'];
    return kinds.filter((kind) => row?.[kind]);
  }

  /**
   * Returns the kinds of proof that the user can show, with options for a passkey. Passkeys cannot work on a page that
   * was opened by an IP address; other proofs can.
   */
  async challenge(
    userId: number,
    ceremony: Ceremony,
  ): Promise<{ kinds: FactorKind[]; passkeyOptions: Awaited<ReturnType<PasskeyService['begin']>> | null }> {
    const kinds = await this.kindsOf(userId);
    const canUse = kinds.includes('passkey') && canUsePasskeys(ceremony.origin);
    return { kinds, passkeyOptions: canUse ? await this.deps.passkeys.begin(userId, ceremony) : null };
  }

  /** @throws AppError INVALID_CREDENTIALS, INVALID_INPUT (none or several proofs), RATE_LIMITED */
  async check(userId: number, proof: FactorProof, ceremony: Ceremony, origin: ProofOrigin): Promise<void> {
    const given = [proof.code, proof.recoveryCode, proof.passkey].filter((one) => one !== undefined && one !== null);
    if (given.length !== 1) throw new InvalidInputError('Give exactly one of code, recoveryCode and passkey');
    const counters = countersOf(userId, proof, origin);
    // The attempt is counted before the check, so that parallel guesses cannot pass together.
    for (const [key, limit] of counters) await this.count(key, limit);
    await this.accept(userId, proof, ceremony);
    for (const [key] of counters) await this.deps.state.delete(key);
  }

  private async count(key: string, { count, seconds }: Limit): Promise<void> {
    const hit = await this.deps.state.hit(key, count, seconds);
    if (hit.allowed) return;
    throw new AppError('RATE_LIMITED', 'Too many attempts, try again later', {
      retryAfterSeconds: hit.retryAfterSeconds,
    });
  }

  private async accept(
    userId: number,
    { code, recoveryCode, passkey }: FactorProof,
    ceremony: Ceremony,
  ): Promise<void> {
    if (code !== undefined && code !== null) return this.acceptCode(userId, code);
    if (recoveryCode !== undefined && recoveryCode !== null) return this.acceptRecoveryCode(userId, recoveryCode);
    await this.deps.passkeys.check(userId, passkey, ceremony);
  }

  private async acceptCode(userId: number, code: string): Promise<void> {
    const app = await this.deps.apps.findOneBy({ userId });
    const now = this.deps.clock.now();
    const step = app?.confirmedAt ? stepOfCode(this.deps.secrets.open(app.secretSealed), code, now) : null;
    // The statement compares the step again: of two parallel uses of one code only one counts.
    const used = { lastStep: step ?? 0, lastUsedAt: new Date(now) };
    const { affected } = await this.deps.apps.update({ userId, lastStep: LessThan(used.lastStep) }, used);
    if (step === null || affected !== 1)
      throw new AppError('INVALID_CREDENTIALS', 'The code is wrong or was used already');
  }

  private async acceptRecoveryCode(userId: number, text: string): Promise<void> {
    const plain = plainRecoveryCode(text);
    const codeHash = (await this.movedHashOf(userId, plain)) ?? this.deps.secrets.hash(plain);
    const { affected } = await this.deps.apps.manager.delete(RecoveryCode, { userId, codeHash });
    if (affected !== 1) throw new AppError('INVALID_CREDENTIALS', 'The recovery code is wrong or was used already');
  }

  /** Returns the stored hash of a code that was imported from new-api; null when it is not such a code. */
  private async movedHashOf(userId: number, plain: string): Promise<Buffer | null> {
    if (plain.length !== movedCodeLength) return null;
    const codes = await this.deps.apps.manager.findBy(RecoveryCode, { userId });
    const moved = codes.map(({ codeHash }) => codeHash).filter(({ length }) => length === bcryptLength);
    for (const hash of moved) if (await bcrypt.compare(movedForm(plain), hash.toString())) return hash;
    return null;
  }
}

/**
 * Returns the counters of a proof. A passkey's signature cannot be guessed, so it is never counted. Six digits can be
 * guessed from many addresses, so unknown addresses share a count. A recovery code has 40 random bits or more: a count
 * for each origin is enough.
 */
function countersOf(
  userId: number,
  { code, passkey }: FactorProof,
  { name, isKnown }: ProofOrigin,
): Array<readonly [key: string, limit: Limit]> {
  if (passkey !== undefined && passkey !== null) return [];
  const own = [`limit:second-factor:${userId}:${name}`, originLimit] as const;
  const isCode = code !== undefined && code !== null;
  return isCode && !isKnown ? [own, [`limit:second-factor:${userId}:unknown`, unknownLimit]] : [own];
}

const movedCodeLength = 8;
/** Length of a bcrypt hash; other codes have a digest of 32 bytes. */
const bcryptLength = 60;
/** Returns a backup code in the form that new-api hashes. */
const movedForm = (plain: string): string => `${plain.slice(0, 4)}-${plain.slice(4)}`.toUpperCase();

/** Returns a code in the form that is hashed: without the hyphen and in lower case. */
export const plainRecoveryCode = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
