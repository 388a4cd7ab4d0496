import { omitUndefined } from '../../../shared/omit-undefined.js';
import { droppedBy } from '../../neutral/abilities.js';
import type { WrittenRequest } from '../../neutral/codec.js';
import { fieldName, unsupported, type Dropped } from '../../neutral/field-name.js';
import type { NeutralMessage, Part } from '../../neutral/message.js';
import type { NeutralRequest, NeutralTool } from '../../neutral/request.js';
import { toDataUrl, imageType } from '../../neutral/media.js';
import { runnableTools } from '../../neutral/runnable-tools.js';
import type { Json } from '../../neutral/fields.js';

/**
 * A request of ChatCompletions (docs/reference/providers/own-protocols.md#tencent-hunyuan), which has no output limit.
 */
export function writeHunyuan(given: NeutralRequest): WrittenRequest {
  const dropped = droppedBy(given, { tools: true, stop: true, sampling: ['temperature', 'topP', 'seed'] });
  const request = runnableTools(given, dropped, ({ kind }) => kind === 'function');
  const { sampling, stop, tools, toolChoice } = request;
  const body = omitUndefined<Json>({
    Model: request.model,
    Messages: request.messages.flatMap((message) => writeTurn(message, dropped)),
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

function writeTurn({ role, parts, name }: NeutralMessage, dropped: Dropped): Json[] {
  dropped.hint('name', name);
  if (role === 'tool') {
    return parts.flatMap((part) =>
      part.kind === 'toolResult'
        ? [{ Role: 'tool', ToolCallId: part.callId, Content: textOf(part.content, dropped) }]
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

function textOf(parts: readonly Part[], dropped: Dropped): string {
  return parts
    .flatMap((part) => {
      if (part.kind === 'text' || part.kind === 'refusal') return [part.text];
      if (part.kind !== 'reasoning') throw unsupported(part.at ?? 'messages', 'it only accepts text and images');
      dropped.hint('reasoningHistory', true);
      return [];
    })
    .join('\n');
}
