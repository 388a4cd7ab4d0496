import { createHmac } from 'node:crypto';
import type { EntityManager, Repository } from 'typeorm';
import { z } from 'zod';
import type { Changes } from '../../platform/cache/changes.js';
import type { Clock } from '../../shared/clock.js';
import { AppError, InvalidInputError } from '../../shared/errors.js';
import { isUniqueViolation } from '../../shared/postgres-error.js';
import { sameSecret } from '../../shared/secrets.js';
import { version } from '../../shared/version.js';
import type { PasswordService } from '../auth/index.js';
import type { OptionService } from '../../options/option.service.js';
import type { PostEntry } from '../../billing/ledger/index.js';
import { User } from '../../billing/accounts/index.js';
import { insertUser, UsernameTakenError, withFreshAffiliateCode } from '../users/index.js';
import { Setup } from './setup.entity.js';

const rootQuota = 100_000_000;
const maxUsernameLength = 12;
/** 32 letters and digits that are not easily confused. */
const codeLetters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

export interface SetupStatus {
  /** Whether setup is complete. */
  readonly status: boolean;
  /** Whether a root user exists although setup is not complete. */
  readonly rootInit: boolean;
  /** Empty once setup is complete. */
  readonly databaseType: '' | 'postgres';
}

export interface SetupInput {
  readonly username: string;
  readonly password: string;
  readonly confirmPassword: string;
  readonly selfUseModeEnabled: boolean;
  readonly demoSiteEnabled: boolean;
  /** The setup code that the server printed at start; see `SetupService.code`. */
  readonly code?: string | null;
}

export interface SetupServiceDeps {
  readonly setups: Repository<Setup>;
  readonly options: Pick<OptionService, 'store' | 'announce'>;
  readonly passwords: PasswordService;
  readonly postEntry: PostEntry;
  readonly changes: Changes;
  readonly clock: Clock;
  /** The session secret. The setup code is derived from it, so that it is the same on every server of a site. */
  readonly sessionSecret: string;
}

/** The setup at first start (docs/reference/rest/public.md#first-start). The only way to create a root user. */
export class SetupService {
  private done = false;

  constructor(private readonly deps: SetupServiceDeps) {}

  /**
   * Reads whether setup is complete. Data imported from an older console has a root user but no setup row, and counts
   * as set up.
   */
  async start(): Promise<void> {
    const { setups } = this.deps;
    if (await this.rootExists(setups.manager)) {
      await setups.createQueryBuilder().insert().values(this.row()).orIgnore().execute();
    }
  }

  /**
   * The setup code: three groups of four letters and digits. It is required for setup from another machine, because
   * otherwise the first visitor of a new public site could take it over.
   */
  get code(): string {
    const digest = createHmac('sha256', this.deps.sessionSecret).update('set-up code').digest();
    const letters = Array.from(digest.subarray(0, 12), (byte) => codeLetters[byte % codeLetters.length]).join('');
    return letters.replace(/(.{4})(?=.)/g, '$1-');
  }

  async isDone(): Promise<boolean> {
    // Setup is never undone, so a positive result is cached.
    this.done ||= await this.deps.setups.existsBy({ id: 1 });
    return this.done;
  }

  async status(): Promise<SetupStatus> {
    if (await this.isDone()) return { status: true, rootInit: false, databaseType: '' };
    return { status: false, rootInit: await this.rootExists(this.deps.setups.manager), databaseType: 'postgres' };
  }

  /**
   * Creates the root user unless one exists, stores the two modes and completes setup, in one transaction.
   * @param fromThisMachine whether the request came over loopback and needs no code
   * @throws AppError ALREADY_SET_UP, SETUP_CODE_NEEDED, INVALID_INPUT
   */
  async complete(input: SetupInput, fromThisMachine: boolean): Promise<void> {
    if (await this.isDone()) throw alreadySetUp();
    if (!fromThisMachine && !this.isCode(input.code ?? '')) {
      const message = input.code ? 'The set-up code is wrong' : 'A set-up code is needed';
      throw new AppError('SETUP_CODE_NEEDED', `${message}: the server printed it when it started`, { field: 'code' });
    }
    const needsRoot = !(await this.rootExists(this.deps.setups.manager));
    const credentials = needsRoot ? checkCredentials(input) : null;
    const passwordHash = credentials && (await this.deps.passwords.hash(credentials.password));
    await withFreshAffiliateCode(() =>
      this.deps.setups.manager.transaction(async (manager) => {
        await this.claim(manager);
        if (credentials) await this.createRoot(manager, credentials.username, passwordHash);
        await this.deps.options.store(manager, 'SelfUseModeEnabled', String(input.selfUseModeEnabled));
        await this.deps.options.store(manager, 'DemoSiteEnabled', String(input.demoSiteEnabled));
      }),
    );
    this.done = true;
    await this.deps.options.announce('SelfUseModeEnabled', 'DemoSiteEnabled');
    await this.deps.changes.announce({ kind: 'user' });
  }

  private isCode(text: string): boolean {
    return sameSecret(text.trim().toUpperCase().replaceAll('-', ''), this.code.replaceAll('-', ''));
  }

  /**
   * Claims the setup. The primary key admits one caller. A concurrent one waits for its commit and gets ALREADY_SET_UP.
   */
  private async claim(manager: EntityManager): Promise<void> {
    try {
      await manager.insert(Setup, this.row());
    } catch (error) {
      throw isUniqueViolation(error) ? alreadySetUp() : error;
    }
  }

  private async createRoot(manager: EntityManager, username: string, passwordHash: string | null): Promise<void> {
    const root = { username, displayName: 'Root User', passwordHash, role: 'root', quota: rootQuota } as const;
    try {
      await insertUser(manager, this.deps.postEntry, root);
    } catch (error) {
      if (error instanceof UsernameTakenError) throw new InvalidInputError('This username is taken', 'username');
      throw error;
    }
  }

  private rootExists(manager: EntityManager): Promise<boolean> {
    return manager.existsBy(User, { role: 'root' });
  }

  private row(): Setup {
    return { id: 1, version, initializedAt: new Date(this.deps.clock.now()) };
  }
}

const usernameRule = z
  .string()
  .trim()
  .min(1, 'Username must not be empty')
  .max(maxUsernameLength, `Username must have at most ${maxUsernameLength} characters`)
  .refine((name) => !/[@\p{Cc}]/u.test(name), 'Username must not contain @ or control characters');

function checkCredentials(input: SetupInput): { username: string; password: string } {
  const { password } = input;
  const username = usernameRule.safeParse(input.username);
  if (!username.success) {
    throw new InvalidInputError(username.error.issues[0]?.message ?? 'Invalid request parameters', 'username');
  }
  if (password !== input.confirmPassword) {
    throw new InvalidInputError('The two passwords do not match', 'confirmPassword');
  }
  const bytes = Buffer.byteLength(password);
  if (bytes < 8) throw new InvalidInputError('Password must be at least 8 characters', 'password');
  if (bytes > 72) throw new InvalidInputError('Password must be at most 72 bytes', 'password');
  return { username: username.data, password };
}

const alreadySetUp = (): AppError => new AppError('ALREADY_SET_UP', 'System is already initialised');
