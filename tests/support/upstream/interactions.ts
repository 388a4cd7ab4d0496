import type { ServerResponse } from 'node:http';
import type { ReceivedRequest, Reply } from './upstream.js';

/*
 * Google's Interactions as its API describes them (ai.google.dev/api/interactions-api, November 2026): names in snake case,
 * unknown fields refused, interactions known to the account that made them alone.
 */

type Json = Record<string, unknown>;

const known = new Set([
  ...['model', 'input', 'system_instruction', 'tools', 'generation_config', 'previous_interaction_id', 'store'],
  ...['stream', 'response_format', 'response_modalities', 'service_tier', 'labels', 'safety_settings', 'background'],
  ...['cached_content', 'continuation_token', 'environment', 'webhook_config'],
]);
const knownConfig = new Set([
  ...['max_output_tokens', 'seed', 'stop_sequences', 'temperature', 'top_p', 'thinking_level', 'thinking_summaries'],
  ...['tool_choice', 'speech_config', 'image_config', 'video_config'],
]);

export interface InteractionsProvider {
  readonly reply: Reply;
  /** The account of each stored interaction, by its id. */
  readonly stored: Map<string, { readonly key: string; readonly interaction: Json }>;
  /** The usage that is reported; null: none. */
  usage: Json | null;
  /** The steps of each interaction. */
  steps: Json[];
  /** How a stream is sent: in the current form, in the older one, or broken off before its end. */
  form: 'steps' | 'outputs' | 'broken';
  /** The text of the error that is sent within a stream; null: none. */
  errorInside: string | null;
}

export const plainUsage = {
  total_input_tokens: 100,
  total_cached_tokens: 40,
  total_output_tokens: 10,
  total_thought_tokens: 20,
  total_tool_use_tokens: 5,
  total_tokens: 135,
};
export const plainSteps = [
  { type: 'thought', signature: 'sig', summary: [{ type: 'text', text: 'Let me think.' }] },
  { type: 'model_output', content: [{ type: 'text', text: 'Hello there' }] },
];

export function interactionsProvider(): InteractionsProvider {
  const provider: InteractionsProvider = {
    stored: new Map(),
    usage: plainUsage,
    steps: plainSteps,
    form: 'steps',
    errorInside: null,
    reply: (response, request) => answer(provider, response, request),
  };
  return provider;
}

let made = 0;

function answer(provider: InteractionsProvider, response: ServerResponse, request: ReceivedRequest): void {
  const key = String(request.headers['x-goog-api-key']);
  const [path = '', query = ''] = request.path.split('?');
  const [, id, verb] = /^\/v1beta\/interactions(?:\/([^/]+)(\/cancel)?)?$/.exec(path) ?? [];
  const refuse = (code: number, status: string, message: string): void =>
    sendJson(response, { error: { code, status, message } }, code);
  if (id !== undefined) {
    const found = provider.stored.get(id);
    if (found?.key !== key) return refuse(404, 'NOT_FOUND', 'Requested entity was not found.');
    if (verb) return refuse(400, 'INVALID_ARGUMENT', 'Only background interactions can be cancelled.');
    if (request.method === 'DELETE') provider.stored.delete(id);
    const { interaction } = found;
    const shown = query === 'include_input=true' ? { ...interaction, input: 'shown' } : interaction;
    return sendJson(response, request.method === 'DELETE' ? {} : shown);
  }
  const body = request.body ?? {};
  const problem = problemOf(body);
  if (problem) return refuse(400, 'INVALID_ARGUMENT', problem);
  const previous = body['previous_interaction_id'];
  if (previous !== undefined && provider.stored.get(previous as string)?.key !== key)
    return refuse(404, 'NOT_FOUND', 'Requested entity was not found.');
  const interaction: Json = {
    ...(body['store'] === false ? {} : { id: `v1_interaction${++made}` }),
    object: 'interaction',
    model: body['model'],
    status: 'completed',
    [provider.form === 'outputs' ? 'outputs' : 'steps']: provider.steps,
    ...(provider.usage ? { usage: provider.usage } : {}),
  };
  if (body['store'] !== false) provider.stored.set(String(interaction['id']), { key, interaction });
  if (body['stream'] !== true) return sendJson(response, interaction);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(streamOf(interaction, provider));
}

function problemOf(body: Json): string | null {
  const config = (body['generation_config'] ?? {}) as Json;
  const unknown =
    Object.keys(body).find((name) => !known.has(name)) ?? Object.keys(config).find((name) => !knownConfig.has(name));
  if (unknown !== undefined) return `Invalid JSON payload received. Unknown name "${unknown}"`;
  if (body['model'] === undefined || body['input'] === undefined) return 'model and input are required';
  return null;
}

function streamOf(interaction: Json, { form, steps, errorInside }: InteractionsProvider): string {
  const { steps: _steps, outputs: _outputs, usage: _usage, ...begun } = interaction;
  const isOlder = form === 'outputs';
  const part = isOlder ? 'content' : 'step';
  const events: Json[] = [
    {
      event_type: isOlder ? 'interaction.start' : 'interaction.created',
      interaction: { ...begun, status: 'in_progress' },
    },
  ];
  for (const [index, step] of steps.entries()) {
    const { content, summary, signature, ...empty } = step;
    events.push({ event_type: `${part}.start`, index, [part]: empty });
    for (const each of (content ?? []) as Json[]) events.push({ event_type: `${part}.delta`, index, delta: each });
    for (const each of (summary ?? []) as Json[])
      events.push({ event_type: `${part}.delta`, index, delta: { type: 'thought_summary', content: each } });
    if (signature !== undefined)
      events.push({ event_type: `${part}.delta`, index, delta: { type: 'thought_signature', signature } });
    events.push({ event_type: `${part}.stop`, index });
  }
  if (errorInside !== null) events.push({ event_type: 'error', error: { code: 'internal', message: errorInside } });
  else if (form !== 'broken') {
    const { usage } = interaction;
    events.push({
      event_type: isOlder ? 'interaction.complete' : 'interaction.completed',
      interaction: { ...begun, ...(usage === undefined ? {} : { usage }) },
    });
  }
  const text = events.map((event) => `event: ${String(event['event_type'])}\ndata: ${JSON.stringify(event)}\n\n`);
  return text.join('') + (form === 'broken' || errorInside !== null ? '' : 'event: done\ndata: [DONE]\n\n');
}

function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
