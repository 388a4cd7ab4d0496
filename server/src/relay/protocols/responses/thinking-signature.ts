import type { ReasoningPart } from '../../neutral/message.js';

/*
 * Responses keeps thinking signature in `encrypted_content` of a reasoning item and wants the item's id back with it; other
 * dialects have one text. So the id travels in front of the signature where the provider speaks Responses, and thoughts that a
 * provider keeps to itself are marked where the client does.
 */

const withId = /^(rs_[A-Za-z0-9_-]+):/;
const redactedMark = 'redacted:';

/** Signature of an OpenAI reasoning item as one text. */
export const signatureOfItem = (id: string, encrypted: string): string =>
  withId.test(`${id}:`) ? `${id}:${encrypted}` : encrypted;

/** The item a provider of Responses gave. @returns null when the signature is somebody else's */
export function itemOfSignature(thinkingSignature: string): { id: string; encrypted: string } | null {
  const id = withId.exec(thinkingSignature)?.[1];
  return id === undefined ? null : { id, encrypted: thinkingSignature.slice(id.length + 1) };
}

/** `encrypted_content` as a client of Responses sees it. */
export const encryptedContent = (part: Pick<ReasoningPart, 'signature' | 'redacted'>): string | undefined =>
  part.redacted === undefined ? part.signature : redactedMark + part.redacted;

/** And back. */
export function readEncrypted(encrypted: string | undefined): Pick<ReasoningPart, 'signature' | 'redacted'> {
  if (encrypted === undefined) return {};
  return encrypted.startsWith(redactedMark)
    ? { redacted: encrypted.slice(redactedMark.length) }
    : { signature: encrypted };
}
