import { hash, verify, type Options } from '@node-rs/argon2';
import bcrypt from 'bcrypt';

/** OWASP's first choice for argon2id: 19 MiB, two passes. */
const strength: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export interface PasswordCheck {
  readonly matches: boolean;
  /** The stored hash is of an older kind: store a new one. */
  readonly outdated: boolean;
}

/** Hashes passwords with argon2id; checks also the bcrypt hashes that came with users of the older consoles. */
export class PasswordService {
  /** Checked when there is no user, so that the time of an answer does not tell. */
  private readonly nobody = hash('nobody has this password', strength);

  hash(password: string): Promise<string> {
    return hash(password, strength);
  }

  /** @param stored null when there is no such user or he has no password */
  async check(stored: string | null, password: string): Promise<PasswordCheck> {
    if (stored === null) {
      await verify(await this.nobody, password);
      return { matches: false, outdated: false };
    }
    if (/^\$2[aby]\$/.test(stored)) return { matches: await bcrypt.compare(password, stored), outdated: true };
    return { matches: await verify(stored, password), outdated: false };
  }
}
