import { createHash, createHmac } from 'node:crypto';

/** The digest in hexadecimal. */
export const sha256 = (text: Buffer | string): string => createHash('sha256').update(text).digest('hex');
export const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** A part of a JWT. */
export const jwtPart = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A JWT that is signed with a secret (HS256). */
export function signedJwt(head: object, claims: object, secret: string): string {
  const signed = `${jwtPart(head)}.${jwtPart(claims)}`;
  return `${signed}.${hmac(secret, signed).toString('base64url')}`;
}
