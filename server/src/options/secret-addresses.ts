import { keepsSecrets } from '../platform/outbound/address-class.js';
import { InvalidInputError } from '../shared/errors.js';
import { secretsByAddress, type OptionKey } from './option-registry.js';

/** @throws InvalidInputError for an address to which a secret would be sent readably over the internet */
export function assertKeepsSecret(key: OptionKey, address: unknown): void {
  if (secretsByAddress[key] === undefined || address === '') return;
  if (!keepsSecrets(String(address))) throw new InvalidInputError(`${key}: must be an https:// address`, key);
}

/** The secret that a change of this setting clears; undefined if it is still sent to the same server. */
export function secretClearedBy(key: OptionKey, before: string, after: string): OptionKey | undefined {
  return originOf(before) === originOf(after) ? undefined : secretsByAddress[key];
}

const originOf = (address: string): string => (URL.canParse(address) ? new URL(address).origin : address);
