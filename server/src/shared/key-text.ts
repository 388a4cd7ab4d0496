/** Keys of one-hub, which sites moved from there still use: an id, `_`, and a signature that may contain `-`. */
const signedKey = /^([A-Za-z0-9]{15}_[\w-]{43})(?:[-#]([^-]*).*)?$/;

/** Whether a key without its prefix is one of one-hub, in which `-` separates nothing. */
export const isSignedKey = (key: string): boolean => signedKey.test(key);

/** A presented key in its parts. */
export interface KeyParts {
  /** The key without its prefix; empty when there is none. */
  readonly key: string;
  /** The id of the channel that the key pins, as text. */
  readonly pin: string | null;
}

/**
 * `sk-<KEY>-<CHANNELID>`: the prefix and the channel may be missing; further parts are ignored. Keys of one-hub may have
 * `#` before the channel.
 */
export function parseKey(presented: string): KeyParts {
  const text = presented.startsWith('sk-') ? presented.slice('sk-'.length) : presented;
  const signed = text[15] === '_' ? signedKey.exec(text) : null;
  const [key = '', pin] = signed ? signed.slice(1) : text.split('-');
  return { key, pin: pin === undefined || pin === '' ? null : pin };
}
