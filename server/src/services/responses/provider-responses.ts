import type { OptionValues } from '../../options/option.service.js';
import type { Clock } from '../../shared/clock.js';
import type { AttemptSettings } from '../../gateway/send/attempt.js';
import { familySettings, refusal, toTarget, wholeAnswer } from '../../gateway/send/attempt-exchange.js';
import { redactKey } from '../../gateway/send/redact-key.js';
import type { ClientResponse } from '../../gateway/deliver/client-response.js';
import { ClientGoneError } from '../../gateway/deliver/delivery.js';
import { withHeaderOverride } from '../../dialects/overrides/header-override.js';
import type { RoutingDirectory } from '../../gateway/route/routing-directory.js';
import type { UpstreamClient } from '../../gateway/upstream/upstream-client.js';
import { responseNotFound } from './resumed-call.js';
import { keyMarkOf } from '../../gateway/route/key-mark.js';
import type { StoredResponse } from './stored-responses.js';

export interface ProviderResponsesDeps {
  readonly channels: RoutingDirectory;
  readonly upstream: UpstreamClient;
  readonly options: { readonly values: OptionValues };
  readonly settings: AttemptSettings;
  readonly clock: Clock;
}

/** Reads and deletes responses that their provider stores. Both are free, as at the provider. */
export class ProviderResponses {
  constructor(private readonly deps: ProviderResponsesDeps) {}

  /**
   * Sends a request about a stored response.
   * @param path behind `/v1/responses/`, with its query
   * @param client when it disconnects, reading ends; a deletion or cancellation is completed
   * @throws UpstreamError when the provider refuses; RelayError response_not_found when its channel no longer exists;
   * ClientGoneError
   */
  async ask(
    method: 'GET' | 'DELETE' | 'POST',
    path: string,
    { channelId, keyMark }: StoredResponse,
    client: ClientResponse,
  ): Promise<Buffer> {
    const { channels, upstream, options, settings, clock } = this.deps;
    const channel = channels.table.channel(channelId);
    const key = channel?.keys.find((each) => keyMarkOf(each) === keyMark);
    const adapter = channel?.provider.adapter;
    if (!channel?.enabled || key === undefined || !adapter?.storedResponse) throw responseNotFound(path);
    const target = toTarget({
      channel,
      key,
      requestedModel: '',
      bareModel: '',
      settings,
      passThrough: false,
      families: familySettings(options.values),
      now: clock.now(),
    });
    const { firstByteTimeout: firstByte, idleTimeout: idle } = { ...settings, ...channel.timeouts };
    const exchange = upstream.send(
      withHeaderOverride(adapter.storedResponse(method, path, target), {
        channel,
        key,
        upstreamModel: '',
        requestedModel: '',
      }),
      { firstByte, idle },
      channel.setting.proxy,
    );
    if (method === 'GET') client.onGone(() => exchange.abort(new ClientGoneError()));
    try {
      await exchange.answer;
      if (exchange.status < 200 || exchange.status >= 300) throw await refusal(exchange);
      return (await wholeAnswer(exchange, settings)).body;
    } catch (error) {
      throw redactKey(error, key);
    } finally {
      client.onGone(null);
    }
  }
}
