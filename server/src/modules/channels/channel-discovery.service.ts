import type { Repository } from 'typeorm';
import { z } from 'zod';
import type { GuardedFetch, GuardedResponse } from '../../outbound/guarded-fetch.js';
import { requireRole, type MaybeActor } from '../../shared/actor.js';
import { AppError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import type { Secrets } from '../../shared/secrets.js';
import { defaultBaseUrl, findChannelType } from './channel-catalogue.service.js';
import type { Channel } from './channel.entity.js';
import { splitKeys } from './channel-lists.service.js';
import { proxyOf } from './channel-setting.js';

/** Address and credential always travel as one: a stored key never goes to an address from a request. */
interface Source {
  readonly type: number;
  readonly baseUrl: string;
  readonly key: string;
  readonly proxy?: string;
}

const gemini = 24;
const anthropic = 14;
const ollama = 4;
/** Their models cannot be asked for. */
const builtInOnly: readonly number[] = [18, 23, 33, 41];

const openAIList = z.object({ data: z.array(z.object({ id: z.string() })) });
const ollamaList = z.object({ models: z.array(z.object({ name: z.string() })) });

/** Asks a provider which models it has (docs/reference/providers/README.md#model-discovery). For admins. */
export class ChannelDiscoveryService {
  constructor(
    private readonly channels: Repository<Channel>,
    private readonly secrets: Secrets,
    private readonly http: Pick<GuardedFetch, 'fetch'>,
  ) {}

  /** With the address and the first key of a stored channel. */
  async ofChannel(actor: MaybeActor, id: number): Promise<string[]> {
    requireRole(actor, 'admin');
    const channel = await this.channels.findOne({
      select: { id: true, type: true, baseUrl: true, setting: true, keySealed: true },
      where: { id },
    });
    if (!channel) throw new NotFoundError('Channel', id);
    const { type, baseUrl, setting } = channel;
    return this.ask({ type, baseUrl, key: this.secrets.open(channel.keySealed), ...proxyOf(setting) });
  }

  /** With what stands in a form that is not saved yet. */
  async ofForm(actor: MaybeActor, form: Pick<Source, 'type' | 'baseUrl' | 'key'>): Promise<string[]> {
    requireRole(actor, 'admin');
    if (!findChannelType(form.type)) throw new InvalidInputError('Unknown channel type', 'type');
    return this.ask(form);
  }

  private async ask(source: Source): Promise<string[]> {
    if (builtInOnly.includes(source.type)) return [...(findChannelType(source.type)?.models ?? [])];
    const base = (source.baseUrl.trim() || defaultBaseUrl(source.type)).replace(/\/+$/, '');
    if (base === '') throw new InvalidInputError('Fill in the base URL', 'baseUrl');
    const key = splitKeys(source.type, source.key)[0];
    if (!key) throw new InvalidInputError('Fill in the key', 'key');
    const { url, headers } = modelsRequest(source.type, base, key);
    const proxy = source.proxy ? { proxy: source.proxy } : {};
    return readModels(source.type, await this.http.fetch({ url, headers, policy: 'admin', ...proxy }));
  }
}

function modelsRequest(type: number, base: string, key: string): { url: string; headers: Record<string, string> } {
  if (type === anthropic) {
    return { url: `${root(base)}/v1/models`, headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' } };
  }
  const headers = { authorization: `Bearer ${key}` };
  if (type === gemini) return { url: `${base}/v1beta/openai/models`, headers };
  if (type === ollama) return { url: `${root(base)}/api/tags`, headers };
  const chat = '/chat/completions';
  if (base.endsWith(chat)) return { url: `${base.slice(0, -chat.length)}/models`, headers };
  return { url: `${root(base)}/v1/models`, headers };
}

const root = (base: string): string => base.replace(/\/v1$/, '');

function readModels(type: number, response: GuardedResponse): string[] {
  if (response.status !== 200) throw new AppError('UPSTREAM_ERROR', `status code: ${response.status}`);
  const body = parseBody(response.body);
  const listed =
    type === ollama
      ? ollamaList.safeParse(body).data?.models.map(({ name }) => name)
      : openAIList.safeParse(body).data?.data.map(({ id }) => id);
  if (!listed) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The answer is not a list of models');
  const names = type === gemini ? listed.map((name) => name.replace(/^models\//, '')) : listed;
  return [...new Set(names.filter(Boolean))];
}

function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}
