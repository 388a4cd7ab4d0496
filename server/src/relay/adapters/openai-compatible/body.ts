import { acceptsEverything, type ChatRequest, type Target } from '../../adapter.js';
import { acceptedChanges } from './accepted.js';
import type { BodyRules, Dialect } from './dialect.js';

export interface UpstreamBody {
  readonly bytes: Buffer | string;
  readonly model: string;
  readonly reasoningEffort?: string;
  /** Fields left out because the provider does not accept them. */
  readonly dropped?: readonly string[];
}

/**
 * The body to send: the client's own bytes when nothing changes, the same bytes with fields appended when something is
 * only added, and else the parsed object with the least change. Unknown fields always travel.
 */
export function upstreamBody(request: ChatRequest, target: Target, dialect: Dialect): UpstreamBody {
  const rules: BodyRules =
    dialect.rules && !target.passThrough
      ? dialect.rules(request.body, target.upstreamModel, target)
      : { model: target.upstreamModel, changes: null };
  const changes: Record<string, unknown> = { ...rules.changes };
  if (request.body['model'] !== rules.model) changes['model'] = rules.model;
  let dropped: readonly string[] = [];
  if (!target.passThrough) {
    if (target.accepts !== acceptsEverything) {
      const accepted = acceptedChanges({ ...request.body, ...changes }, target.accepts);
      Object.assign(changes, accepted.changes);
      dropped = accepted.dropped;
    }
    Object.assign(changes, streamChanges(request, target, dialect));
    Object.assign(changes, target.override);
  }
  return {
    bytes: applyChanges(request, changes),
    model: rules.model,
    ...(dropped.length === 0 ? {} : { dropped }),
    ...(rules.reasoningEffort === undefined ? {} : { reasoningEffort: rules.reasoningEffort }),
  };
}

function streamChanges(request: ChatRequest, target: Target, dialect: Dialect): Record<string, unknown> {
  const options = request.body['stream_options'];
  if (!request.stream) {
    // The client wanted a stream that this channel cannot give, or sent options that only streams may have.
    return {
      ...(request.body['stream'] === true ? { stream: false } : {}),
      ...(options === undefined ? {} : { stream_options: undefined }),
    };
  }
  if (!dialect.streamUsage) return options === undefined ? {} : { stream_options: undefined };
  if (request.wantsUsage || !target.forceStreamUsage) return {};
  const given = typeof options === 'object' && options !== null ? (options as Record<string, unknown>) : {};
  return { stream_options: { ...given, include_usage: true } };
}

function applyChanges(request: ChatRequest, changes: Record<string, unknown>): Buffer | string {
  const names = Object.keys(changes);
  if (names.length === 0) return request.rawBody;
  const onlyAdds = names.every((name) => changes[name] !== undefined && !(name in request.body));
  if (onlyAdds) return appendFields(request.rawBody, changes);
  // A field set to undefined is left out by stringify.
  return JSON.stringify({ ...request.body, ...changes });
}

const closingBrace = 0x7d;

/** `{"a":1}` + `{"b":2}` is `{"a":1,"b":2}` without touching the first: cheap, and numbers keep their digits. */
function appendFields(rawBody: Buffer, fields: Record<string, unknown>): Buffer {
  const end = rawBody.lastIndexOf(closingBrace);
  // A body that was parsed has at least the fields that were required of it, so a comma is always right.
  return Buffer.concat([rawBody.subarray(0, end), Buffer.from(`,${JSON.stringify(fields).slice(1)}`)]);
}
