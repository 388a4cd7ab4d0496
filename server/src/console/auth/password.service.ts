import { hash, verify } from '@node-rs/argon2';
import bcrypt from 'bcrypt';

/** Cost of one argon2id hash. Stored inside the hash, so a changed strength leaves stored passwords valid. */
export interface PasswordStrength {
  /** KiB. */
  readonly memoryCost: number;
  /** Number of passes over the memory. */
  readonly timeCost: number;
  /** Number of lanes. */
  readonly parallelism: number;
}

/** OWASP's first choice for argon2id: 19 MiB, two passes. */
export const defaultStrength: PasswordStrength = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export interface PasswordCheck {
  readonly matches: boolean;
  /** Whether the stored hash uses an older algorithm or strength, so that a new one should be stored. */
  readonly outdated: boolean;
}

/** Hashes passwords with argon2id. Also checks bcrypt hashes, which users migrated from older consoles still have. */
export class PasswordService {
  /**
   * A hash that is verified when the user does not exist, so that the response time does not reveal which users exist.
   */
  private readonly decoy: Promise<string>;

  /** @param strength tests pass a weaker one to save time */
  constructor(private readonly strength: PasswordStrength = defaultStrength) {
    this.decoy = hash('no user has this password', strength);
  }

  hash(password: string): Promise<string> {
    return hash(password, this.strength);
  }

  /** @param stored null when there is no such user or they have no password */
  async check(stored: string | null, password: string): Promise<PasswordCheck> {
    if (stored === null) {
      await verify(await this.decoy, password);
      return { matches: false, outdated: false };
    }
    if (/^\$2[aby]\$/.test(stored)) return { matches: await bcrypt.compare(password, stored), outdated: true };
    return { matches: await verify(stored, password), outdated: false };
  }
}
