import { messagesWithoutAttribution } from './attribution.js';
import { ofEachObject } from '../../shared/of-each-object.js';
import { isInstruction, withContent, withParts, type ForeignPart, type NeutralMessage, type Part } from './message.js';
import type { NeutralRequest } from './request.js';
import { unsupported } from './field-name.js';
import { asText, someText } from './fields.js';
import { isForeignProof, type ProofMaker } from './thought-proof.js';
import { withLaterInstructions, withWholeArguments } from './repaired-history.js';
import { flattenTools, type ToolForms, type ToolTaker } from './tool-forms.js';

/** Features of the provider for which a request is written. No client speaks the dialect `own`. */
export type Fitting = ToolTaker;

export interface FittedRequest {
  readonly request: NeutralRequest;
  readonly forms: ToolForms;
  /** Items of the history that were left out, by the client's own names. */
  readonly dropped: readonly string[];
}

/** Removes parts that only the client's dialect has and whose loss does not change the meaning of the request. */
export function fitRequest(given: NeutralRequest, fitting: Fitting): FittedRequest {
  const { request, forms } = flattenTools(given, fitting);
  const { dialect } = fitting;
  const dropped = new Set<string>();
  const said =
    dialect === 'anthropic-messages' ? request.messages : messagesWithoutAttribution(request.messages, dropped);
  const messages: NeutralMessage[] = [];
  for (const message of withLaterInstructions(fromSummary(said, dialect), dialect)) {
    const fitted = fitMessage(message, dialect);
    if (fitted.message) messages.push(fitted.message);
    for (const name of fitted.dropped) dropped.add(name);
  }
  return { request: { ...request, messages }, forms, dropped: [...dropped] };
}

interface FittedMessage {
  /** Null if nothing is left. */
  readonly message: NeutralMessage | null;
  readonly dropped: readonly string[];
}

const fitMessage = ofEachObject((given: NeutralMessage, dialect: Fitting['dialect']): FittedMessage => {
  const dropped = new Set<string>();
  const maker = makers[dialect];
  const proven = maker ? withoutForeignProof(given, maker) : given;
  const found = withFoundTools(withWholeArguments(proven, dropped), dialect);
  return { message: withoutRecords(found, dialect, dropped), dropped: [...dropped] };
});

/** The makers whose proof of thinking a provider of each dialect accepts. Chat completions have no field for it. */
const makers: Readonly<Partial<Record<Fitting['dialect'], ProofMaker>>> = {
  'anthropic-messages': 'anthropic',
  'gemini-generate': 'google',
  'openai-responses': 'openai',
};

/**
 * Removes foreign proof and keeps the thoughts. A provider that requires proof leaves such thoughts out and reports
 * them.
 */
function withoutForeignProof(message: NeutralMessage, maker: ProofMaker): NeutralMessage {
  if (message.role !== 'assistant') return message;
  return withParts(message, (part): Part => {
    if ('redacted' in part && part.redacted !== undefined && isForeignProof(part.redacted, maker)) {
      return { kind: 'reasoning', text: part.text };
    }
    if (!('signature' in part) || part.signature === undefined || !isForeignProof(part.signature, maker)) return part;
    const { signature: _signature, ...rest } = part;
    return rest;
  });
}

/**
 * Removes records of tools that a provider ran itself, such as a web search. Agents send them back even if another
 * provider continues the conversation. The assistant's text contains the result, so the records can be removed.
 * @returns null if the message has nothing else
 */
function withoutRecords(
  message: NeutralMessage,
  dialect: Fitting['dialect'],
  dropped: Set<string>,
): NeutralMessage | null {
  if (message.role !== 'assistant') return message;
  const parts = message.parts.flatMap((part): readonly Part[] => {
    if (part.kind !== 'foreign' || part.dialect === dialect) return [part];
    // All other providers refuse images of the assistant.
    if (part.drawn && dialect === 'gemini-generate') return [part.drawn];
    if (holdsConversation(part))
      throw unsupported(part.at ?? 'input', 'only the provider that compacted it can read it');
    dropped.add(recordName(part));
    return [];
  });
  if (parts.length === message.parts.length && parts.every((part, index) => part === message.parts[index])) {
    return message;
  }
  return parts.length === 0 ? null : { ...message, parts };
}

/**
 * Reduces the result of a tool search, in the form of Claude Code, to the names of the tools, because the tools
 * themselves are in the request.
 */
function withFoundTools(message: NeutralMessage, dialect: Fitting['dialect']): NeutralMessage {
  if (dialect === 'anthropic-messages' || message.role === 'assistant') return message;
  return withParts(message, (part) => (part.kind === 'toolResult' ? withContent(part, foundTool) : part));
}

function foundTool(part: Part): Part {
  if (part.kind !== 'foreign' || part.value['type'] !== 'tool_reference') return part;
  return { kind: 'text', text: `The tool ${asText(part.value['tool_name'])} can be called now.` };
}

/**
 * Anthropic ignores turns before its compaction, whose summary is readable text. At other providers the conversation
 * begins with that summary.
 */
function fromSummary(messages: readonly NeutralMessage[], dialect: Fitting['dialect']): readonly NeutralMessage[] {
  if (dialect === 'anthropic-messages') return messages;
  const at = messages.findLastIndex(({ parts }) => parts.some(isSummary));
  const message = messages[at];
  if (!message) return messages;
  const index = message.parts.findLastIndex(isSummary);
  const summary = asText((message.parts[index] as ForeignPart).value['content']);
  const said = message.parts.slice(index + 1);
  return [
    ...messages.slice(0, at).filter(isInstruction),
    { role: 'user', parts: [{ kind: 'text', text: `Summary of the conversation so far:\n\n${summary}` }] },
    ...(said.length > 0 ? [{ ...message, parts: said }] : []),
    ...messages.slice(at + 1),
  ];
}

const isSummary = (part: Part): boolean =>
  part.kind === 'foreign' &&
  part.dialect === 'anthropic-messages' &&
  part.value['type'] === 'compaction' &&
  someText(part.value['content']) !== undefined;

/** Whether a part contains the conversation before it. Without that part the model would not know it. */
const holdsConversation = ({ dialect, value }: ForeignPart): boolean =>
  // A compaction of Anthropic without a summary has failed.
  dialect !== 'anthropic-messages' && (value['type'] === 'compaction' || value['type'] === 'compaction_summary');

/** Returns the path without its index, and the type: `input.web_search_call`. */
function recordName({ at = 'messages', value }: ForeignPart): string {
  const place = at.replace(/\[\d+\]/g, '');
  const [first = 'record'] = Object.keys(value);
  return `${place}.${asText(value['type']) || first}`;
}
