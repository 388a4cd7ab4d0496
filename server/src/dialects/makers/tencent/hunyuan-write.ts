import { omitUndefined } from '../../../shared/omit-undefined.js';
import { droppedBy } from '../../neutral/abilities.js';
import type { WrittenRequest } from '../../neutral/codec.js';
import { fieldName, unsupported, type Dropped } from '../../neutral/field-name.js';
import { isInstruction, type NeutralMessage, type Part } from '../../neutral/message.js';
import type { NeutralRequest, NeutralTool } from '../../neutral/request.js';
import { resultContent } from '../../neutral/tool-error.js';
import { toDataUrl, imageType } from '../../neutral/media.js';
import { runnableTools } from '../../neutral/runnable-tools.js';
import type { Json } from '../../neutral/fields.js';

/** One message as the provider takes it. */
interface HunyuanTurn {
  readonly Role: string;
  readonly Content?: string;
  readonly Contents?: readonly Json[];
  readonly ToolCalls?: readonly Json[];
  readonly ToolCallId?: string;
}

/**
 * A request of ChatCompletions (docs/reference/providers/own-protocols.md#tencent-hunyuan), which has no output limit.
 * @throws AppError UNSUPPORTED_BY_CHANNEL
 */
export function writeHunyuan(given: NeutralRequest): WrittenRequest {
  const dropped = droppedBy(given, { tools: true, stop: true, sampling: ['temperature', 'topP', 'seed'] });
  const request = runnableTools(given, dropped, ({ kind }) => kind === 'function');
  const { sampling, stop, tools, toolChoice } = request;
  const other = request.messages
    .filter(isInstruction)
    .flatMap(({ parts }) => parts.filter(({ kind }) => kind !== 'text'));
  if (other[0]) throw unsupported(other[0].at ?? 'messages', 'it accepts only text as instructions');
  const body = omitUndefined<Json>({
    Model: request.model,
    Messages: ordered(request.messages.flatMap((message) => writeTurn(message, dropped))),
    Stream: request.stream,
    TopP: sampling.topP,
    Temperature: sampling.temperature,
    Seed: sampling.seed,
    Stop: stop.length > 0 ? stop : undefined,
    Tools: tools.length > 0 ? tools.map(writeTool) : undefined,
    ...(tools.length > 0 ? writeChoice(request) : {}),
  });
  if (toolChoice?.mode === 'builtin')
    throw unsupported(fieldName(request.dialect, 'toolChoice'), 'it refers to a tool of another provider');
  return { body, dropped: dropped.names };
}

function writeChoice({ toolChoice, tools, dialect }: NeutralRequest): Json {
  switch (toolChoice?.mode) {
    case undefined:
      return {};
    case 'auto':
    case 'none':
      return { ToolChoice: toolChoice.mode };
    case 'tool': {
      const tool = tools.find(({ name }) => name === toolChoice.name);
      return tool ? { ToolChoice: 'custom', CustomTool: writeTool(tool) } : {};
    }
    default:
      throw unsupported(fieldName(dialect, 'toolChoice'), 'it cannot be forced to call any tool');
  }
}

function writeTool(tool: NeutralTool): Json {
  if (tool.kind !== 'function') throw unsupported(tool.at ?? 'tools', 'it only supports functions');
  const { name, description, parameters } = tool;
  return {
    Type: 'function',
    Function: omitUndefined({
      Name: name,
      Description: description,
      Parameters: JSON.stringify(parameters ?? { type: 'object', properties: {} }),
    }),
  };
}

/**
 * Orders turns as the provider requires: one system message first, then turns of the user or of tools that alternate
 * with those of the assistant, none of them empty.
 */
function ordered(messages: readonly HunyuanTurn[]): HunyuanTurn[] {
  const system = messages.flatMap(({ Role, Content }) => (Role === 'system' && Content ? [Content] : []));
  const out: HunyuanTurn[] = system.length > 0 ? [{ Role: 'system', Content: system.join('\n\n') }] : [];
  for (const turn of messages) {
    const last = out.at(-1);
    if (turn.Role === 'system' || isEmpty(turn)) continue;
    if (turn.Role !== 'tool' && last?.Role === turn.Role) out[out.length - 1] = joined(last, turn);
    else if (turn.Role === 'user' && last?.Role === 'tool') out.push({ Role: 'assistant', Content: 'Okay' }, turn);
    else out.push(turn);
  }
  return out;
}

const isEmpty = ({ Content, Contents, ToolCalls }: HunyuanTurn): boolean => !Content && !Contents && !ToolCalls;

function joined(one: HunyuanTurn, other: HunyuanTurn): HunyuanTurn {
  const calls = [...(one.ToolCalls ?? []), ...(other.ToolCalls ?? [])];
  const ToolCalls = calls.length > 0 ? { ToolCalls: calls.map((call, Index) => ({ ...call, Index })) } : {};
  if (one.Contents || other.Contents) return { Role: one.Role, Contents: [...contentsOf(one), ...contentsOf(other)] };
  return { Role: one.Role, Content: [one.Content, other.Content].filter(Boolean).join('\n\n'), ...ToolCalls };
}

const contentsOf = ({ Content, Contents }: HunyuanTurn): readonly Json[] =>
  Contents ?? (Content ? [{ Type: 'text', Text: Content }] : []);

function writeTurn({ role, parts, name }: NeutralMessage, dropped: Dropped): HunyuanTurn[] {
  dropped.hint('name', name);
  if (role === 'tool') {
    return parts.flatMap((part) =>
      part.kind === 'toolResult'
        ? [
            {
              Role: 'tool',
              ToolCallId: part.callId,
              Content: textOf(resultContent(part), dropped, 'results of tools are text') || '(empty)',
            },
          ]
        : [],
    );
  }
  const calls = parts.flatMap((part, index) =>
    part.kind === 'toolCall'
      ? [
          {
            Id: part.id,
            Type: 'function',
            Index: index,
            Function: { Name: part.name, Arguments: part.arguments || '{}' },
          },
        ]
      : [],
  );
  const said = parts.filter(({ kind }) => kind !== 'toolCall');
  const head = { Role: role === 'developer' ? 'system' : role };
  if (said.some(({ kind }) => kind === 'image')) return [{ ...head, Contents: said.map(writeContent) }];
  return [{ ...head, Content: textOf(said, dropped), ...(calls.length > 0 ? { ToolCalls: calls } : {}) }];
}

function writeContent(part: Part): Json {
  if (part.kind === 'text') return { Type: 'text', Text: part.text };
  if (part.kind === 'image' && part.source.kind === 'url')
    return { Type: 'image_url', ImageUrl: { Url: part.source.url } };
  if (part.kind === 'image' && part.source.kind === 'base64') {
    return { Type: 'image_url', ImageUrl: { Url: toDataUrl(imageType(part.source), part.source.data) } };
  }
  throw unsupported(part.at ?? 'messages', 'it only accepts text and images');
}

function textOf(parts: readonly Part[], dropped: Dropped, why = 'it only accepts text and images'): string {
  return parts
    .flatMap((part) => {
      if (part.kind === 'text' || part.kind === 'refusal') return [part.text];
      if (part.kind !== 'reasoning') throw unsupported(part.at ?? 'messages', why);
      dropped.hint('reasoningHistory', true);
      return [];
    })
    .join('\n');
}
