import type { Logger } from '../../platform/observability/logger.js';
import type { Metrics } from '../../platform/observability/metrics.js';
import { usageDetails, type Usage, type UsageDetails } from '../../shared/usage.js';
import type { Call } from '../call.js';

/** A provider's usage report that exceeds what is charged. */
export interface UsageExcess {
  readonly kind: 'impossible' | 'unreserved';
  readonly reported: Usage;
}

/** Sends notices to the site's owner. Returns at once and never throws. */
export interface OperatorNotices {
  notifyRoot(notice: {
    readonly type: string;
    readonly title: string;
    readonly content: string;
    readonly values: readonly string[];
  }): void;
}

export interface UsageAlarmDeps {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly notices: OperatorNotices | null;
}

/** Milliseconds in which a channel and model are reported at most once. */
const quietMilliseconds = 60 * 60_000;
const maxRemembered = 1000;

/**
 * Notifies the operator of usage that a model cannot have had: the provider is broken or dishonest, or the limits known
 * here are out of date (option ModelMaxOutput). The customer does not pay for the excess, so the operator may.
 */
export class UsageAlarm {
  private readonly raised = new Map<string, number>();

  constructor(private readonly deps: UsageAlarmDeps) {}

  /** Counts every excess. Logs it and notifies root once per channel and model in a quiet period. */
  raise(
    call: Pick<Call, 'requestId' | 'route'>,
    channelId: number,
    { kind, reported }: UsageExcess,
    charged: Usage,
  ): void {
    const { logger, metrics, notices } = this.deps;
    const { promptTokens, completionTokens, details } = reported;
    metrics.unchargedUsage.inc({ channel: String(channelId), kind });
    if (kind === 'unreserved') return;
    logger.warn(
      { requestId: call.requestId, channelId, promptTokens, completionTokens, ...toolsOf(details) },
      'the provider reports usage that the model cannot have had',
    );
    const { model } = call.route;
    if (this.isQuiet(`${channelId}:${model}`)) return;
    notices?.notifyRoot({
      type: `impossible_usage_${channelId}`,
      title: `Channel ${channelId} reports impossible usage`,
      content:
        'Channel {{value}} reported {{value}} prompt and {{value}} completion tokens of {{value}} for request {{value}}. ' +
        'The customer was charged for {{value}} and {{value}}. Searches and code executions: {{value}}, charged: {{value}}.',
      values: [
        String(channelId),
        String(promptTokens),
        String(completionTokens),
        model,
        call.requestId,
        String(charged.promptTokens),
        String(charged.completionTokens),
        String(toolCallsOf(details)),
        String(toolCallsOf(charged.details)),
      ],
    });
  }

  /**
   * Notifies the operator of tools that a provider ran without a price, once per channel, model and tool in a quiet
   * period.
   */
  freeTools(
    { requestId, route }: Pick<Call, 'requestId' | 'route'>,
    channelId: number,
    tools: readonly string[],
  ): void {
    const { model } = route;
    if (tools.length === 0 || this.isQuiet(`${channelId}:${model}:${tools.join()}`)) return;
    this.deps.logger.warn({ requestId, channelId, model, tools }, 'tools of the provider have no price');
    this.deps.notices?.notifyRoot(toolNotice(channelId, tools, model, requestId));
  }

  /** Whether this key was reported lately. If not, it counts as reported now. */
  private isQuiet(key: string): boolean {
    const now = performance.now();
    if (now < (this.raised.get(key) ?? -Infinity)) return true;
    if (this.raised.size >= maxRemembered) this.raised.clear();
    this.raised.set(key, now + quietMilliseconds);
    return false;
  }
}

/** See `UsageAlarm.freeTools`. */
const toolNotice = (channelId: number, tools: readonly string[], model: string, requestId: string) => ({
  type: `unpriced_tool_${channelId}`,
  title: 'A tool without a price was used',
  content:
    'The provider of channel {{value}} may charge for the tool {{value}} of {{value}}, whose price is not known: it was free for ' +
    'the customer in request {{value}}. Set its price in option ToolPrices, or refuse it with option UnpricedTools.',
  values: [String(channelId), tools.join(', '), model, requestId],
});

const toolsOf = ({ webSearches, fileSearches, codeExecutions }: UsageDetails = {}): UsageDetails =>
  usageDetails({ webSearches, fileSearches, codeExecutions }).details ?? {};

const toolCallsOf = ({ webSearches = 0, fileSearches = 0, codeExecutions = 0 }: UsageDetails = {}): number =>
  webSearches + fileSearches + codeExecutions;
