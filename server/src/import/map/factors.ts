import { isIP } from 'node:net';
import { z } from 'zod';
import type { Fields } from '../source/fields.js';
import type { MapContext, Mapped, Mapper } from './mapped.js';

/** Base32 as authenticator apps read it. A secret of fewer than 16 characters was not made by the source program. */
const base32 = /^[A-Z2-7]{16,}=*$/;
const bcryptHash = /^\$2[aby]\$\d\d\$.{53}$/;

/**
 * Whether a row of `two_fas` makes its user enter a code. The source program deletes a disabled row, or keeps it until
 * it is confirmed.
 */
export const isEnabledApp = (row: Fields): boolean => row.flag('is_enabled') && row.time('deleted_at') === null;

/** Returns the Base32 secret without blanks; null if no app could make a code from it. */
export function secretOf(row: Fields): string | null {
  const secret = row.text('secret').replaceAll(/\s/g, '').toUpperCase();
  return base32.test(secret) ? secret : null;
}

/** Maps an authenticator app. The source program's codes are the same (SHA-1, 6 digits, 30 seconds). */
export const mapApp: Mapper = (row, context) => {
  const userId = ownerOf(row, context, 'two_fas');
  if (userId === null) return [];
  const secret = secretOf(row);
  const key = `${row.id}/${userId}`;
  if (context.decisions.dropTwoFactor || secret === null || !isEnabledApp(row)) return [gone(key, { user_id: userId })];
  return [
    {
      key,
      values: {
        user_id: userId,
        confirmed_at: row.time('created_at') ?? epoch,
        last_step: row.clamped('last_used_step', 0, Number.MAX_SAFE_INTEGER),
        created_at: row.time('created_at') ?? epoch,
        last_used_at: row.time('last_used_at'),
      },
      sealed: { secret_sealed: secret },
    },
  ];
};

/**
 * Maps an unused backup code of a user whose authenticator app is imported. The bcrypt hash is kept, because a hash
 * cannot be converted.
 */
export const mapBackupCode: Mapper = (row, context) => {
  const userId = ownerOf(row, context, 'two_fa_backup_codes');
  if (userId === null || !context.users.withApp.has(userId)) return [];
  const hash = row.code('code_hash');
  if (!bcryptHash.test(hash)) {
    if (hash !== '') context.findings.add('backup-code-unreadable', 'two_fa_backup_codes', row.id, `user ${userId}`);
    return [];
  }
  const digits = Buffer.from(hash).toString('hex');
  const key = `${row.id}/${userId}/${digits}`;
  const values = { user_id: userId, code_hash: `\\x${digits}` };
  return row.flag('is_used') || row.time('deleted_at') !== null ? [gone(key, values)] : [{ key, values }];
};

/** Maps a passkey. It works as long as the console is opened at the domain for which it was made. */
export const mapPasskey: Mapper = (row, context) => {
  const table = 'passkey_credentials';
  const userId = ownerOf(row, context, table);
  if (userId === null || context.decisions.dropTwoFactor) return [];
  const detail = `user ${userId}`;
  const credentialId = Buffer.from(row.code('credential_id'), 'base64').toString('base64url');
  const publicKey = Buffer.from(row.code('public_key'), 'base64').toString('hex');
  const key = `${row.id}/${credentialId}`;
  if (row.time('deleted_at') !== null) return [gone(key, { credential_id: credentialId })];
  const domain = domainOf(row, context);
  if (domain === null || credentialId === '' || publicKey === '') {
    context.findings.add('passkey-domain', table, row.id, detail);
    return [];
  }
  if (domain !== hostOf(context.options.get('ServerAddress') ?? '')) {
    context.findings.add('passkey-elsewhere', table, row.id, `${detail}: ${domain}`);
  }
  if (row.has('user_verified') && !row.flag('user_verified')) {
    context.findings.add('passkey-unverified', table, row.id, detail);
  }
  return [
    {
      key,
      values: {
        user_id: userId,
        credential_id: credentialId,
        public_key: `\\x${publicKey}`,
        domain,
        name: row.text('name').slice(0, 64) || 'Passkey',
        counter: row.clamped('sign_count', 0, 2 ** 32 - 1),
        transports: transportsOf(row),
        is_synced: row.flag('backup_state'),
        created_at: row.time('created_at') ?? epoch,
        last_used_at: row.time('last_used_at'),
      },
    },
  ];
};

// The key of each row contains the columns that identify the row here, so that a later run can delete what was deleted
// in the source.

export const appOf = (key: string): { user_id: number } => ({ user_id: Number(key.split('/')[1]) });

export function backupCodeOf(key: string): { user_id: number; code_hash: string } {
  const [, userId, digits] = key.split('/');
  return { user_id: Number(userId), code_hash: `\\x${digits}` };
}

export const passkeyOf = (key: string): { credential_id: string | undefined } => ({
  credential_id: key.split('/')[1],
});

const epoch = new Date(0).toISOString();

/** Returns a row that must not exist here, although an earlier run may have imported it. */
const gone = (key: string, values: Mapped['values']): Mapped => ({ key, values, isGone: true });

/** Returns null and reports it if the user is not in the source. */
function ownerOf(row: Fields, { users, findings }: MapContext, table: string): number | null {
  const userId = row.whole('user_id');
  if (users.ids.has(userId)) return userId;
  findings.add('owner-missing', table, row.id, `user ${userId}`);
  return null;
}

/**
 * Returns the domain of a passkey. Newer versions store it with each passkey; older ones have an option, or use the
 * host of the site's address.
 */
const domainOf = (row: Fields, { options }: MapContext): string | null =>
  row.code('rp_id') || (options.get('passkey.rp_id') ?? '').trim() || hostOf(options.get('ServerAddress') ?? '');

/** Returns null for addresses without a domain name, where browsers offer no passkeys. */
function hostOf(address: string): string | null {
  const host = URL.canParse(address) ? new URL(address).hostname : '';
  return host === '' || isIP(host.replace(/^\[|\]$/g, '')) !== 0 ? null : host;
}

const transportList = z.array(z.string());

function transportsOf(row: Fields): string[] {
  try {
    return transportList.parse(JSON.parse(row.text('transports') || '[]'));
  } catch {
    return [];
  }
}
