import { maskKeys } from '../../shared/key-patterns.js';

/**
 * Removes addresses, hosts and keys from a message, because they identify the operator. The rest stays, because the
 * client needs it (docs/reference/relay/errors.md#gateway-codes).
 */
export function maskSecrets(message: string): string {
  let text = message.length > maxLength ? `${message.slice(0, maxLength)}…` : message;
  for (const [pattern, replacement] of rules) text = text.replace(pattern, replacement);
  return maskKeys(text, '[key]');
}

const maxLength = 4000;

/** Every pattern runs in linear time: bounded repeats or single character classes. */
const rules: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(?:https?|wss?|socks5h?):\/\/[^\s"'<>)\]}]+/gi, '[address]'],
  [/\bBearer\s+[^\s"',]+/gi, 'Bearer [key]'],
  // Ids of accounts, and keys of which a provider shows a part.
  [/\b(?:sk|pk|rk|xai|gsk|AIza|org|proj|ghp|hf|r8|bce-v3)[-_*/][A-Za-z0-9_\-*./]{6,}/g, '[key]'],
  [/\bAIza[A-Za-z0-9_-]{10,}/g, '[key]'],
  [/\b[A-Fa-f0-9]{32,128}\b/g, '[key]'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g, '[address]'],
  [/\[?(?:[A-Fa-f0-9]{1,4}:){3,7}[A-Fa-f0-9]{0,4}\]?(?::\d{1,5})?/g, '[address]'],
  [
    /\b(?:[a-z0-9-]{1,63}\.){1,6}(?:com|net|org|io|ai|cn|dev|app|co|cloud|internal|local|lan|top|xyz|me|info|eu|us)(?::\d{1,5})?\b/gi,
    '[address]',
  ],
  [/\blocalhost(?::\d{1,5})?\b/gi, '[address]'],
];
