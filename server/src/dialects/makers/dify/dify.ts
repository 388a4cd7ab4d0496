import { omitUndefined } from '../../../shared/omit-undefined.js';
import type { Adapter } from '../../contract.js';
import { calledNames, droppedBy, toolText } from '../../neutral/abilities.js';
import type { WrittenRequest } from '../../neutral/codec.js';
import { type Dropped, unsupported } from '../../neutral/field-name.js';
import { asFields, type Json } from '../../neutral/fields.js';
import type { NeutralMessage, Part } from '../../neutral/message.js';
import type { NeutralRequest } from '../../neutral/request.js';
import { baseOf, jsonHeaders } from '../openai-compatible/own-dialect.js';
import { DifyStreamReader, readDify } from './dify-read.js';

/** The kind of app that a key belongs to, from the channel's field `other`. */
const appKinds = ['chat', 'agent', 'workflow', 'completion'] as const;
type AppKind = (typeof appKinds)[number];

/** The kind of app of a channel; `chat` by default. */
const appKindOf = ({ other }: { readonly other: string }): AppKind =>
  appKinds.find((kind) => kind === other.trim().toLowerCase()) ?? 'chat';

/** API path by kind of app. */
const pathOf: Readonly<Record<AppKind, string>> = {
  chat: '/v1/chat-messages',
  agent: '/v1/chat-messages',
  workflow: '/v1/workflows/run',
  completion: '/v1/completion-messages',
};

const names: Readonly<Record<NeutralMessage['role'], string>> = {
  system: 'SYSTEM',
  developer: 'SYSTEM',
  user: 'USER',
  assistant: 'ASSISTANT',
  tool: 'USER',
};

/**
 * A Dify app takes one message: the whole conversation with speaker names
 * (docs/reference/providers/own-protocols.md#dify). Files must be URLs: uploading one is a separate API call, which the
 * adapter does not make.
 */
const writeDify =
  (kind: AppKind) =>
  (request: NeutralRequest): WrittenRequest => {
    const conversation = asFields(request.extras['metadata'])?.['conversation_id'];
    const { metadata, ...rest } = request.extras;
    const extras = conversation === undefined ? { ...rest, metadata: metadata ?? null } : rest;
    const dropped = droppedBy({ ...request, extras }, { user: true, sampling: [] });
    const files: Json[] = [];
    const called = calledNames(request.messages);
    const query = request.messages.flatMap((message) => blocks(message, { called, files, dropped })).join('');
    const stream = request.stream || kind === 'agent';
    const shared = { response_mode: stream ? 'streaming' : 'blocking', user: request.user ?? 'tollgate', files };
    const body: Json =
      kind === 'workflow' || kind === 'completion'
        ? { inputs: { query }, ...shared }
        : omitUndefined({ inputs: {}, query, ...shared, auto_generate_name: false, conversation_id: conversation });
    return { body, dropped: dropped.names };
  };

interface Found {
  /** Names of called tools by call id. */
  readonly called: ReadonlyMap<string, string>;
  readonly files: Json[];
  readonly dropped: Dropped;
}

function blocks({ role, parts, name }: NeutralMessage, found: Found): string[] {
  found.dropped.hint('name', name);
  return parts.flatMap((part) => {
    const text = textOf(part, found);
    return text === null ? [] : [`${names[role]}: \n${text}\n`];
  });
}

/** Earlier tool calls and their results are text, because an app runs its own tools. */
function textOf(part: Part, found: Found): string | null {
  const { files, dropped } = found;
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return part.text;
    case 'toolCall':
      return toolText(part, found.called);
    case 'toolResult':
      return [toolText(part, found.called), ...part.content.map((each) => textOf(each, found) ?? '')].join('\n');
    case 'reasoning':
      dropped.hint('reasoningHistory', true);
      return null;
    case 'image':
    case 'file':
      if (part.source.kind === 'text') return part.source.text;
      if (part.source.kind !== 'url') throw unsupported(part.at ?? 'messages', 'its files must be web URLs');
      files.push({
        type: part.kind === 'image' ? 'image' : 'document',
        transfer_method: 'remote_url',
        url: part.source.url,
      });
      return null;
    default:
      throw unsupported(part.at ?? 'messages', 'it only accepts text and files');
  }
}

/** Type 37 (docs/reference/providers/own-protocols.md#dify): one key per app, whose author chose the model. */
export const dify: Adapter = {
  conversation: {
    codec(target) {
      const kind = appKindOf(target);
      return {
        dialect: 'own',
        write: writeDify(kind),
        read: readDify,
        openReader: () => new DifyStreamReader(kind !== 'workflow'),
      };
    },
    toUpstreamRequest: (body, { stream }, target) => ({
      method: 'POST',
      url: baseOf(target).replace(/\/v1$/, '') + pathOf[appKindOf(target)],
      headers: { ...jsonHeaders(stream), authorization: `Bearer ${target.key}` },
      body: JSON.stringify(body),
    }),
  },
};
