import { Secrets } from '../../shared/secrets.js';

/** The configured ENCRYPTION_KEY is not the one this database was written with. */
export class EncryptionKeyError extends Error {
  /** A stable code, for scripts that start the server. */
  readonly code = 'ENCRYPTION_KEY_MISMATCH';

  constructor() {
    super(
      'ENCRYPTION_KEY does not fit this database: upstream keys and API keys in it were encrypted with another key; ' +
        'set the key that this site had before',
    );
    this.name = 'EncryptionKeyError';
  }
}

interface Queryable {
  query(text: string, values?: unknown[]): Promise<unknown>;
}

/**
 * Stores a digest of the key at the first start and compares it at every later start. A database without a digest is
 * older than this check: one of its encrypted values is decrypted instead.
 * @throws EncryptionKeyError
 */
export async function checkEncryptionKey(database: Queryable, encryptionKey: string): Promise<void> {
  const secrets = new Secrets(encryptionKey);
  const digest = secrets.hash('encryption-key-check');
  const read = async (): Promise<Buffer | undefined> => {
    const rows = (await database.query('SELECT digest FROM encryption_key_check')) as Array<{ digest: Buffer }>;
    return rows[0]?.digest;
  };
  if (!(await read())) {
    await assertOpens(database, secrets);
    // If several nodes start at once, the first one's key counts.
    await database.query('INSERT INTO encryption_key_check (digest) VALUES ($1) ON CONFLICT DO NOTHING', [digest]);
  }
  if (!(await read())?.equals(digest)) throw new EncryptionKeyError();
}

async function assertOpens(database: Queryable, secrets: Secrets): Promise<void> {
  const rows = (await database.query(`
    (SELECT key_sealed AS sealed FROM channels WHERE key_sealed <> '' LIMIT 1)
    UNION ALL (SELECT key_sealed FROM tokens WHERE key_sealed <> '' LIMIT 1)
  `)) as Array<{ sealed: string }>;
  for (const { sealed } of rows) {
    try {
      secrets.open(sealed);
    } catch {
      throw new EncryptionKeyError();
    }
  }
}
