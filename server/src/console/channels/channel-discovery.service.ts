import type { Repository } from 'typeorm';
import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.js';
import { splitKeys } from '../../dialects/providers/channel-keys.js';
import { findProvider, providerOf } from '../../dialects/makers/providers.js';
import { requirePermission, type MaybeActor } from '../../shared/actor.js';
import { AppError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import type { Secrets } from '../../shared/secrets.js';
import type { Channel } from './channel.entity.js';
import { openChannelKey } from './open-channel-key.js';

/** The URL and credential to use. They are passed together, so that a stored key never goes to a URL from a request. */
interface Source {
  readonly type: number;
  readonly baseUrl: string;
  readonly key: string;
  readonly proxy?: string | undefined;
}

/** A stored channel by id, or an unsaved form. */
export interface DiscoveryRequest {
  readonly id?: number | null;
  readonly type?: number | null;
  readonly baseUrl?: string | null;
  readonly key?: string | null;
}

/** OpenAI, the default for new channels. */
const defaultType = 1;

/** Lists the models of an account at its provider (docs/reference/providers/README.md#model-discovery). For admins. */
export class ChannelDiscoveryService {
  constructor(
    private readonly channels: Repository<Channel>,
    private readonly secrets: Secrets,
    private readonly http: Pick<GuardedFetch, 'fetch'>,
  ) {}

  /**
   * Lists the models of a stored channel by its id, or of the URL and key of a form. A request must not have both: a
   * stored key must not go to its URL.
   * @throws AppError INVALID_INPUT for both, NOT_FOUND
   */
  async discover(actor: MaybeActor, { id, type, baseUrl, key }: DiscoveryRequest): Promise<string[]> {
    requirePermission(actor, 'channels.write');
    const isForm = typeof type === 'number' || Boolean(baseUrl) || Boolean(key);
    if (typeof id === 'number') {
      if (isForm) throw new InvalidInputError('Use either the id of a channel or a form, not both', 'id');
      return this.ofChannel(actor, id);
    }
    return this.ofForm(actor, { type: type ?? defaultType, baseUrl: baseUrl ?? '', key: key ?? '' });
  }

  /**
   * Uses the URL and the first key of a stored channel.
   * @throws AppError INSUFFICIENT_PRIVILEGES, NOT_FOUND, CONFLICT, INVALID_INPUT, UPSTREAM_ERROR, UPSTREAM_INVALID_RESPONSE
   */
  async ofChannel(actor: MaybeActor, id: number): Promise<string[]> {
    requirePermission(actor, 'channels.write');
    const channel = await this.channels.findOne({
      select: { id: true, type: true, baseUrl: true, setting: true, keySealed: true },
      where: { id },
    });
    if (!channel) throw new NotFoundError('Channel', id);
    const { type, baseUrl, setting } = channel;
    return this.ask({ type, baseUrl, key: openChannelKey(this.secrets, channel.keySealed), proxy: setting.proxy });
  }

  /**
   * Uses the URL and the first key of an unsaved form.
   * @throws AppError INSUFFICIENT_PRIVILEGES, INVALID_INPUT, UPSTREAM_ERROR, UPSTREAM_INVALID_RESPONSE
   */
  async ofForm(actor: MaybeActor, form: Pick<Source, 'type' | 'baseUrl' | 'key'>): Promise<string[]> {
    requirePermission(actor, 'channels.write');
    if (!findProvider(form.type)?.offered) throw new InvalidInputError('Unknown channel type', 'type');
    return this.ask(form);
  }

  private async ask(source: Source): Promise<string[]> {
    const { discovery, models, defaultBaseUrl, keyForm, adapterFor } = providerOf(source.type);
    const base = (source.baseUrl.trim() || defaultBaseUrl).replace(/\/+$/, '');
    // The base URL is the name of a coding plan, which lists no models.
    const isName = !base.includes('://') && adapterFor?.({ other: '', baseUrl: base });
    if (!discovery || isName) return [...models];
    if (base === '') throw new InvalidInputError('Fill in the base URL', 'baseUrl');
    const key = splitKeys(source.key, keyForm)[0];
    if (!key) throw new InvalidInputError('Fill in the key', 'key');
    const proxy = source.proxy ? { proxy: source.proxy } : {};
    const response = await this.http.fetch({ ...discovery.request(base, key), policy: 'admin', ...proxy });
    if (response.status !== 200) throw new AppError('UPSTREAM_ERROR', `status code: ${response.status}`);
    const listed = discovery.read(parseBody(response.body));
    if (!listed) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The response is not a list of models');
    return [...new Set(listed.filter(Boolean))];
  }
}

function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}
