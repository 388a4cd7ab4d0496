import { dropCacheMarks, Dropped, dropExtras, fieldName, unsupported } from './field-name.js';
import type { NeutralMessage, Part, Role, ToolCallPart, ToolResultPart } from './message.js';
import type { NeutralRequest, Sampling } from './request.js';
import { runnableTools } from './runnable-tools.js';

/** Capabilities of a provider with its own dialect. Absent means not supported. */
export interface Abilities {
  readonly tools?: boolean;
  readonly responseFormats?: boolean;
  /** Several choices per request. */
  readonly count?: boolean;
  readonly reasoning?: boolean;
  readonly stop?: boolean;
  readonly user?: boolean;
  readonly maxOutput?: boolean;
  readonly sampling: ReadonlyArray<keyof Sampling>;
}

/**
 * Compares a request with the provider's capabilities.
 * @returns optional fields that are left out
 * @throws AppError UNSUPPORTED_BY_CHANNEL naming a field without which the request would mean something else
 */
export function droppedBy(request: NeutralRequest, abilities: Abilities): Dropped {
  const { dialect, tools, responseFormat, count, modalities, reasoning, stop, sampling } = request;
  const refuse = (field: Parameters<typeof fieldName>[1], why: string): never => {
    throw unsupported(fieldName(dialect, field), why);
  };
  if (!abilities.responseFormats && responseFormat && responseFormat.kind !== 'text')
    refuse('responseFormat', 'it only returns plain text');
  if (!abilities.count && count > 1) refuse('count', 'it returns one choice');
  if (modalities.some((each) => each.toLowerCase() !== 'text') || request.audio)
    refuse('modalities', 'it only returns text');
  if (!abilities.stop && stop.length > 0) refuse('stop', 'it does not support stop texts');
  const dropped = new Dropped(dialect);
  if (!abilities.tools) runnableTools(request, dropped, () => false);
  dropExtras(request, dropped);
  dropCacheMarks(request, dropped);
  dropped.hints({
    reasoning: abilities.reasoning ? undefined : reasoning,
    user: abilities.user ? undefined : request.user,
    maxOutput: abilities.maxOutput ? undefined : request.maxOutput,
    serviceTier: request.serviceTier,
    verbosity: request.verbosity,
    parallelToolCalls: tools.length > 0 && request.parallelToolCalls === false ? false : undefined,
  });
  for (const name of Object.keys(sampling) as Array<keyof Sampling>) {
    if (!abilities.sampling.includes(name)) dropped.hint(name, sampling[name]);
  }
  return dropped;
}

/** One turn with text only. */
export interface PlainTurn {
  readonly role: Role;
  readonly text: string;
}

/**
 * The conversation as text only, for providers that support nothing else. Earlier tool calls and their results become
 * text, because an agent repeats them for the rest of a session that began with another provider. Such providers refuse
 * empty messages, so turns without text are left out.
 * @throws AppError UNSUPPORTED_BY_CHANNEL naming the part that is not text
 */
export function plainTurns(request: NeutralRequest, dropped: Dropped): PlainTurn[] {
  const called = calledNames(request.messages);
  const turns = request.messages.map(({ role, parts, name }) => {
    dropped.hint('name', name);
    return { role: plainRole(role), text: parts.flatMap((part) => textOf(part, called, dropped)).join('\n') };
  });
  const said = turns.filter(({ text }) => text !== '');
  return said.length > 0 ? said : turns;
}

/** Names of the tools of a conversation by call id: results do not repeat them in most dialects. */
export const calledNames = (messages: readonly NeutralMessage[]): ReadonlyMap<string, string> =>
  new Map(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'toolCall' ? [[part.id, part.name]] : []))),
  );

const plainRole = (role: Role): Role => (role === 'tool' ? 'user' : role);

/** A tool call or the head of its result, as text. */
export function toolText(part: ToolCallPart | ToolResultPart, called: ReadonlyMap<string, string>): string {
  if (part.kind === 'toolCall') return `[Tool call: ${part.name} ${part.arguments || '{}'}]`;
  const name = part.name ?? called.get(part.callId) ?? '';
  return `[Tool ${part.isError ? 'error' : 'result'}${name === '' ? '' : `: ${name}`}]`;
}

function textOf(part: Part, called: ReadonlyMap<string, string>, dropped: Dropped): string[] {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return part.text === '' ? [] : [part.text];
    case 'reasoning':
      dropped.hint('reasoningHistory', true);
      return [];
    case 'toolCall':
      return [toolText(part, called)];
    case 'toolResult':
      return [toolText(part, called), ...part.content.flatMap((each) => textOf(each, called, dropped))];
    case 'file':
      if (part.source.kind === 'text') return [part.source.text];
      break;
    default:
  }
  throw unsupported(part.at ?? 'messages', 'it only accepts text');
}

/** The instructions, and the remaining turns, for providers that separate the two. */
export function splitInstructions(turns: readonly PlainTurn[]): { instructions: string; turns: PlainTurn[] } {
  const isInstruction = ({ role }: Pick<NeutralMessage, 'role'>): boolean => role === 'system' || role === 'developer';
  return {
    instructions: turns
      .filter(isInstruction)
      .map(({ text }) => text)
      .filter(Boolean)
      .join('\n\n'),
    turns: turns.filter((turn) => !isInstruction(turn)),
  };
}

/** Joins adjacent turns of one role, for providers that require alternating roles. */
export function alternating(turns: readonly PlainTurn[]): PlainTurn[] {
  const out: PlainTurn[] = [];
  for (const turn of turns) {
    const last = out.at(-1);
    if (last?.role === turn.role) out[out.length - 1] = { ...last, text: `${last.text}\n\n${turn.text}` };
    else out.push(turn);
  }
  return out;
}
