/*
 * Makers sign their reasoning, and refuse a conversation without the signature. So each dialect of clients carries it where its
 * clients keep it: `thinking_blocks` and `extra_content.google` in chat, `thinking.signature` in Messages, `encrypted_content`
 * in Responses. A conversation thus survives a change of dialect.
 *
 * Proof of thinking (signatures, encrypted thoughts) is valid only at its maker. Every other provider refuses the whole
 * call because of it. Clients send it back without the name of its provider, so its form has to identify the maker. All
 * three makers use base64: OpenAI of a Fernet token, Anthropic and Google of protocol buffers that differ in the first
 * field of their first message.
 */

export type ProofMaker = 'anthropic' | 'google' | 'openai';

const openAI = /^(?:rs_[A-Za-z0-9_-]+:)?gAAAA/;
/** Vertex puts this before Claude's signatures. */
const claudeMark = 'claude#';
const headBytes = 12;

/** @returns null if the form does not identify a maker */
export function makerOfProof(proof: string): ProofMaker | null {
  if (openAI.test(proof)) return 'openai';
  if (proof.startsWith(claudeMark)) return 'anthropic';
  const bytes = Buffer.from(proof.slice(0, (headBytes / 3) * 4), 'base64');
  const first = fieldAt(bytes, 0);
  if (first?.tag === 0x0a) return bytes[first.content] === 0x01 ? 'google' : null;
  const inner = first?.tag === 0x12 ? fieldAt(bytes, first.content) : null;
  if (inner?.tag !== 0x0a) return null;
  const mark = bytes[inner.content];
  if (mark === 0x01) return 'google';
  return mark === 0x08 || mark === 0x18 ? 'anthropic' : null;
}

/**
 * Whether another provider made the proof, so that this one would refuse it. Proofs of unknown form are not foreign.
 */
export const isForeignProof = (proof: string, maker: ProofMaker): boolean => {
  const found = makerOfProof(proof);
  return found !== null && found !== maker;
};

/** Returns the tag of a length-delimited field, and the offset of its content. */
function fieldAt(bytes: Buffer, at: number): { tag: number; content: number } | null {
  const tag = bytes[at];
  if (tag === undefined) return null;
  let content = at + 1;
  while (((bytes[content] ?? 0) & 0x80) !== 0) content++;
  return { tag, content: content + 1 };
}
