import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Protects what must not be stored in the database in plain text.
 * - `hash`: a keyed digest for looking a secret up (API keys, sessions, access tokens).
 * - `seal` / `open`: AES-256-GCM for what must be shown or used again (upstream keys, option secrets, own keys).
 * Keys are derived from ENCRYPTION_KEY by HKDF, one per purpose.
 */
export class Secrets {
  private readonly hashKey: Buffer;
  private readonly sealKey: Buffer;

  constructor(encryptionKey: string) {
    const derive = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', encryptionKey, 'tollgate', purpose, 32));
    this.hashKey = derive('lookup-hash');
    this.sealKey = derive('sealed-box');
  }

  /** Returns an HMAC-SHA256 of 32 bytes. */
  hash(secret: string): Buffer {
    return createHmac('sha256', this.hashKey).update(secret).digest();
  }

  /** Returns `v1.` + base64url(iv 12 | tag 16 | ciphertext). */
  seal(text: string): string {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.sealKey, iv);
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return `v1.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`;
  }

  /**
   * Decrypts a text.
   * @throws when the text was sealed with another key or changed
   */
  open(sealed: string): string {
    if (!sealed.startsWith('v1.')) throw new Error('not an encrypted value');
    const raw = Buffer.from(sealed.slice(3), 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', this.sealKey, raw.subarray(0, 12));
    decipher.setAuthTag(raw.subarray(12, 28));
    return Buffer.concat([decipher.update(raw.subarray(28)), decipher.final()]).toString('utf8');
  }
}

/** Compares in constant time, so that the duration does not reveal where two texts differ. */
export function sameSecret(left: string, right: string): boolean {
  const a = Buffer.from(left);
  const b = Buffer.from(right);
  return a.length === b.length && timingSafeEqual(a, b);
}
