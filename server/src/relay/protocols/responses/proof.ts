import type { ReasoningPart } from '../../neutral/message.js';

/*
 * Responses keeps proof of thinking in `encrypted_content` of a reasoning item and wants the item's id back with it; other
 * dialects have one text. So the id travels in front of the proof where the provider speaks Responses, and thoughts that a
 * provider keeps to itself are marked where the client does.
 */

const withId = /^(rs_[A-Za-z0-9_-]+):/;
const redactedMark = 'redacted:';

/** Proof of an OpenAI reasoning item as one text. */
export const proofOfItem = (id: string, encrypted: string): string =>
  withId.test(`${id}:`) ? `${id}:${encrypted}` : encrypted;

/** The item a provider of Responses gave. @returns null when the proof is somebody else's */
export function itemOfProof(proof: string): { id: string; encrypted: string } | null {
  const id = withId.exec(proof)?.[1];
  return id === undefined ? null : { id, encrypted: proof.slice(id.length + 1) };
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
