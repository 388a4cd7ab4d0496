import type { ReasoningPart } from '../../neutral/message.js';

/*
 * Responses returns the thinking signature as `encrypted_content` of a reasoning item, and requires the item's id
 * together with it. Other dialects have one text. Therefore the id is prepended to the signature if the provider speaks
 * Responses, and reasoning that a provider encrypts is marked if the client speaks Responses.
 */

const withId = /^(rs_[A-Za-z0-9_-]+):/;
const redactedMark = 'redacted:';

/** Signature of an OpenAI reasoning item as one text. */
export const signatureOfItem = (id: string, encrypted: string): string =>
  withId.test(`${id}:`) ? `${id}:${encrypted}` : encrypted;

/**
 * The reasoning item of a Responses provider.
 * @returns null for a signature of another kind of provider
 */
export function itemOfSignature(thinkingSignature: string): { id: string; encrypted: string } | null {
  const id = withId.exec(thinkingSignature)?.[1];
  return id === undefined ? null : { id, encrypted: thinkingSignature.slice(id.length + 1) };
}

/** Returns `encrypted_content` in the form that a client of Responses gets. */
export const encryptedContent = (part: Pick<ReasoningPart, 'signature' | 'redacted'>): string | undefined =>
  part.redacted === undefined ? part.signature : redactedMark + part.redacted;

/** The reverse of `encryptedContent`. */
export function readEncrypted(encrypted: string | undefined): Pick<ReasoningPart, 'signature' | 'redacted'> {
  if (encrypted === undefined) return {};
  return encrypted.startsWith(redactedMark)
    ? { redacted: encrypted.slice(redactedMark.length) }
    : { signature: encrypted };
}
