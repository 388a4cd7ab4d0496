import { createCipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The database that `npm run seed` fills, and the key that seals its secrets: those of the server. */
export function findSite() {
  const databaseUrl = process.env.DATABASE_URL || process.env.SQL_DSN;
  return databaseUrl ? externalSite(databaseUrl) : embeddedSite(process.env.DATA_DIR || './data');
}

/** As the server, which starts on an external database only with a key. */
function externalSite(url) {
  const encryptionKey = process.env.ENCRYPTION_KEY;
  if (!encryptionKey)
    fail('ENCRYPTION_KEY: required when DATABASE_URL is set, as for the server: keys are sealed with it');
  return { url, encryptionKey };
}

/** The database of the server that runs on this folder, and the key that seals its secrets. */
function embeddedSite(folder) {
  try {
    const { databasePassword, encryptionKey } = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'));
    const port = readFileSync(join(folder, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[3];
    const url = `postgres://tollgate:${databasePassword}@127.0.0.1:${port}/tollgate`;
    return { url, encryptionKey: process.env.ENCRYPTION_KEY || encryptionKey };
  } catch {
    return fail(`no server runs on ${folder}: start it, or set DATABASE_URL to the database that is to be filled`);
  }
}

/** Keys that are sealed with another key than the server's are no use to it. A server records a digest at its first start. */
export async function refuseOtherKey(client, { encryptionKey }) {
  const { rows } = await client.query('SELECT digest FROM encryption_key_check');
  if (rows.length === 0) return;
  const hashKey = Buffer.from(hkdfSync('sha256', encryptionKey, 'tollgate', 'lookup-hash', 32));
  const digest = createHmac('sha256', hashKey).update('encryption-key-check').digest();
  if (!digest.equals(rows[0].digest)) fail('ENCRYPTION_KEY does not fit this database: set the key of its server');
}

/** As `Secrets` of the server. */
export function sealed(text, encryptionKey) {
  const iv = randomBytes(12);
  const sealKey = Buffer.from(hkdfSync('sha256', encryptionKey, 'tollgate', 'sealed-box', 32));
  const cipher = createCipheriv('aes-256-gcm', sealKey, iv);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `v1.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`;
}

export function fail(message) {
  console.error(`seed: ${message}`);
  process.exit(2);
}
