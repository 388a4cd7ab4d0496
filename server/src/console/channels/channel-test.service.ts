import type { Repository } from 'typeorm';
import type { Signals } from '../../platform/live/signals.js';
import { requirePermission, type Actor, type MaybeActor } from '../../shared/actor.js';
import { secondsIn, wholeSecond, type Clock } from '../../shared/clock.js';
import { AppError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import type { LogService } from '../logs/index.js';
import type { OptionValues } from '../../options/option.service.js';
import type { PriceBook } from '../../billing/prices/index.js';
import { Channel } from './channel.entity.js';
import type { ChannelProbe, ProbeResult } from './channel-probe.js';
import { testRequest } from './channel-test-request.js';

export interface ChannelTestResult {
  readonly success: boolean;
  /** Why the test failed; empty on success. */
  readonly message: string;
  readonly milliseconds: number;
  /** Whether the provider refuses every key, as in `ProbeResult`. */
  readonly refused: boolean;
  readonly unreachable: boolean;
}

export interface ChannelTestDeps {
  readonly channels: Repository<Channel>;
  readonly probe: ChannelProbe;
  readonly logs: LogService;
  readonly prices: PriceBook;
  readonly options: { readonly values: Pick<OptionValues, 'LogConsumeEnabled'> };
  readonly signals: Pick<Signals, 'send'>;
  readonly clock: Clock;
}

/** Channel types without a test: drawing and music providers have no chat endpoint. */
export const untestable: readonly number[] = [2, 5, 36];
const maxErrorLength = 1000;

/**
 * Sends a tiny request to a channel's provider, like a client's (docs/reference/relay/routing.md#channel-test). No user
 * is charged.
 */
export class ChannelTestService {
  constructor(private readonly deps: ChannelTestDeps) {}

  /**
   * Tests a channel.
   * @param how.retires whether a refused key is disabled: true in scheduled runs, false when an admin tests a channel
   * @param how.key position of the key, from 1; absent for the next one in rotation
   * @throws AppError NOT_FOUND, UNSUPPORTED_BY_CHANNEL; failures of the provider are the result
   */
  async test(
    actor: MaybeActor,
    id: number,
    model?: string,
    { retires = false, key }: { readonly retires?: boolean; readonly key?: number | undefined } = {},
  ): Promise<ChannelTestResult> {
    const admin = requirePermission(actor, 'channels.write');
    const channel = await this.deps.channels.findOneBy({ id });
    if (!channel) throw new NotFoundError('Channel', id);
    if (untestable.includes(channel.type)) {
      throw new AppError('UNSUPPORTED_BY_CHANNEL', 'Channels of this type cannot be tested');
    }
    if (model && model.length > 255) throw new InvalidInputError('Model name too long', 'model');
    const request = { ...testRequest(channel, model?.trim() ?? '', retires), retires, key };
    const result = await this.deps.probe.send(request);
    // The result of one key says little about the channel, so it is not stored.
    if (key === undefined) await this.keep(admin, channel, request.model, result);
    return {
      success: result.success,
      message: result.success ? '' : result.message,
      milliseconds: result.milliseconds,
      refused: !result.success && result.refused,
      unreachable: !result.success && result.unreachable,
    };
  }

  private async keep(admin: Actor, channel: Channel, model: string, result: ProbeResult): Promise<void> {
    const { channels, clock, logs, options } = this.deps;
    await channels.manager.transaction(async (manager) => {
      const lastTest = {
        responseTime: Math.round(result.milliseconds),
        testedAt: wholeSecond(clock.now()),
        testError: result.success ? '' : result.message.slice(0, maxErrorLength) || 'failed',
      };
      await manager.update(Channel, { id: channel.id }, lastTest);
      if (!result.success || !options.values.LogConsumeEnabled) return;
      const charge = this.deps.prices.testCharge(model, result);
      await logs.recordTest(manager, {
        userId: admin.id,
        username: admin.username,
        content: 'model test',
        channelId: channel.id,
        modelName: model,
        group: admin.group,
        promptTokens: result.promptTokens,
        completionTokens: result.completionTokens,
        useTime: Math.floor(secondsIn(result.milliseconds)),
        quota: charge.quota,
        other: { ...charge.other, duration_ms: lastTest.responseTime },
      });
    });
    this.deps.signals.send('channel', [channel.id]);
  }
}
