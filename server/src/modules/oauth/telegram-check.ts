import { createHash, createHmac } from 'node:crypto';
import { InvalidInputError } from '../../shared/errors.js';
import { sameSecret } from '../../shared/secrets.js';

/** A signature is valid for five minutes, so that it cannot be replayed later. */
const freshSeconds = 300;
/** Parameters that the widget does not sign. */
const ownParameters: readonly string[] = ['hash', 'state'];

/**
 * Checks the signature of Telegram's login widget (docs/reference/rest/accounts.md#telegram).
 * @param now Unix seconds
 * @returns the Telegram id
 * @throws InvalidInputError
 */
export function telegramIdOf(
  given: Readonly<Record<string, string | undefined>>,
  botToken: string,
  now: number,
): string {
  const invalid = new InvalidInputError('Invalid request');
  const { id, hash, auth_date: signedAt } = given;
  if (botToken === '' || !id || !/^\d{1,20}$/.test(id) || !hash || !/^\d{1,12}$/.test(signedAt ?? '')) throw invalid;
  const text = Object.entries(given)
    .filter(([name, value]) => value !== undefined && !ownParameters.includes(name))
    .map(([name, value]) => `${name}=${value ?? ''}`)
    .sort()
    .join('\n');
  const key = createHash('sha256').update(botToken).digest();
  const expected = createHmac('sha256', key).update(text).digest('hex');
  if (!sameSecret(expected, hash.toLowerCase())) throw invalid;
  if (Math.abs(now - Number(signedAt)) > freshSeconds) throw invalid;
  return id;
}
