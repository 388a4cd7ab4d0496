import { InvalidInputError } from '../../shared/errors.js';
import type { OptionValues } from '../options/option.service.js';

type Rules = Pick<
  OptionValues,
  'EmailDomainRestrictionEnabled' | 'EmailDomainWhitelist' | 'EmailAliasRestrictionEnabled'
>;

const longest = 50;
const address = /^[^\s@<>"(),;:\\[\]\p{Cc}]+@[^\s@<>"(),;:\\[\]\p{Cc}]+\.[^\s@<>"(),;:\\[\]\p{Cc}]+$/u;

/**
 * Checks the form, the domain list (case-insensitive) and aliases, in this order.
 * @returns the trimmed address
 * @throws InvalidInputError
 */
export function assertAllowedAddress(given: string, rules: Rules): string {
  const email = given.trim();
  if (email.length > longest || !email.includes('@')) throw new InvalidInputError('Invalid parameter', 'email');
  if (!address.test(email)) throw new InvalidInputError('Invalid e-mail address', 'email');
  const at = email.indexOf('@');
  const [local, domain] = [email.slice(0, at), email.slice(at + 1).toLowerCase()];
  const allowed = rules.EmailDomainWhitelist.map((one) => one.toLowerCase());
  if (rules.EmailDomainRestrictionEnabled && !allowed.includes(domain)) {
    const why = 'The administrator has enabled the e-mail domain whitelist, and your e-mail address is not allowed';
    throw new InvalidInputError(why, 'email');
  }
  if (rules.EmailAliasRestrictionEnabled && /[+.]/.test(local)) {
    throw new InvalidInputError('Address refused because of alias restriction', 'email');
  }
  return email;
}
