import { shortCallId } from '../../neutral/call-id.js';
import { asFieldsList, asText, type Fields, type Json, someText } from '../../neutral/fields.js';
import type { Part, ReasoningPart } from '../../neutral/message.js';
import { makerOfProof, type ProofMaker } from '../../neutral/thought-proof.js';
import { itemOfSignature, signatureOfItem } from '../responses/thinking-signature.js';

/*
 * `reasoning_details` of OpenRouter contains the proofs of thinking of every maker, which the makers' models require in
 * later calls. The thoughts themselves are also in `reasoning`.
 */

export type Proof = Pick<ReasoningPart, 'signature' | 'redacted'>;

/** The proofs of a message or a delta. */
export function proofsIn(message: Fields): Proof[] {
  if (!Array.isArray(message['reasoning_details'])) return [];
  return asFieldsList(message['reasoning_details']).flatMap((detail): Proof[] => {
    const signature = someText(detail['signature']);
    if (signature !== undefined) return [{ signature }];
    const data = detail['type'] === 'reasoning.encrypted' ? someText(detail['data']) : undefined;
    if (data === undefined) return [];
    if (asText(detail['format']).startsWith('anthropic')) return [{ redacted: data }];
    return [{ signature: signatureOfItem(asText(detail['id']), data) }];
  });
}

/** OpenRouter's names of models begin with the maker. */
const makers: ReadonlyMap<string, ProofMaker> = new Map([
  ['anthropic', 'anthropic'],
  ['google', 'google'],
  ['openai', 'openai'],
]);

/** Returns the maker whose proofs a model of OpenRouter accepts. */
export const makerOfModel = (model: string): ProofMaker | undefined => makers.get(model.split('/', 1)[0] ?? '');

/** Returns the proofs of an assistant turn that the model's maker accepts; absent if there are none. */
export function reasoningDetails(parts: readonly Part[], maker: ProofMaker): { readonly reasoning_details?: Json[] } {
  const call = parts.find((part) => part.kind === 'toolCall');
  const details: Json[] = [];
  for (const part of parts) {
    if (part.kind !== 'reasoning' && part.kind !== 'toolCall') continue;
    const redacted = part.kind === 'reasoning' ? part.redacted : undefined;
    const proof = redacted ?? part.signature;
    if (proof === undefined || makerOfProof(proof) !== maker) continue;
    const index = details.length;
    if (redacted !== undefined) {
      details.push({ type: 'reasoning.encrypted', data: redacted, format: 'anthropic-claude-v1', index });
    } else if (maker === 'anthropic') {
      const text = part.kind === 'reasoning' ? part.text : '';
      details.push({ type: 'reasoning.text', text, signature: proof, format: 'anthropic-claude-v1', index });
    } else if (maker === 'openai') {
      const { id, encrypted } = itemOfSignature(proof) ?? { id: undefined, encrypted: proof };
      const named = id === undefined ? {} : { id };
      details.push({ type: 'reasoning.encrypted', data: encrypted, ...named, format: 'openai-responses-v1', index });
    } else if (index === 0) {
      // Google accepts one proof per turn, that of its first call.
      const named = call ? { id: shortCallId(call.id) } : {};
      details.push({ type: 'reasoning.encrypted', data: proof, ...named, format: 'google-gemini-v1', index });
    }
  }
  return details.length === 0 ? {} : { reasoning_details: details };
}
