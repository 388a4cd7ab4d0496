import { asFields, someText } from '../../neutral/fields.js';
import { isForeignProof } from '../../neutral/thought-proof.js';
import { noSignature } from './gemini-write-content.js';

/**
 * Removes thinking signatures of other providers. A function call gets Google's value for a missing signature instead.
 * @param contents the contents of a Gemini body
 * @returns null if every signature is Google's
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
