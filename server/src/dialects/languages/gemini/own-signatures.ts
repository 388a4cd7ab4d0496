import { asFields, someText } from '../../neutral/fields.js';
import { isForeignProof } from '../../neutral/thought-proof.js';
import { noSignature } from './gemini-write-content.js';

/**
 * Leaves out thinking signatures of other providers. A call of a function keeps Google's word for a missing one.
 * @param contents of a Gemini body
 * @returns null when every signature is Google's
 */
export function withoutForeignSignatures(contents: unknown): unknown[] | null {
  if (!Array.isArray(contents)) return null;
  const kept = (contents as unknown[]).map((given) => {
    const content = asFields(given);
    if (!content || !Array.isArray(content['parts'])) return given;
    const parts = (content['parts'] as unknown[]).map(keptPart);
    return parts.some((part, index) => part !== (content['parts'] as unknown[])[index]) ? { ...content, parts } : given;
  });
  return kept.some((content, index) => content !== contents[index]) ? kept : null;
}

function keptPart(given: unknown): unknown {
  const part = asFields(given);
  const signature = someText(part?.['thoughtSignature']);
  if (!part || signature === undefined || !isForeignProof(signature, 'google')) return given;
  const { thoughtSignature: _signature, ...rest } = part;
  return part['functionCall'] === undefined ? rest : { ...rest, thoughtSignature: noSignature };
}
