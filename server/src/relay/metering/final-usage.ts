import { noUsage, type Usage } from '../usage.js';
import type { TextMeter } from './text-meter.js';

export interface Metered {
  /** The provider's own report. */
  readonly reported: Usage | null;
  /** False: the client left, or the upstream broke off. */
  readonly complete: boolean;
  readonly clientGone: boolean;
  readonly meter: TextMeter;
  /** Tells the meter what was received; called only when that is needed. */
  readonly tell: () => void;
  /** Prompt tokens by our own count. */
  readonly countPrompt: () => Promise<number>;
}

/**
 * The one rule of what a call used (docs/reference/relay/billing.md#usage and
 * docs/reference/relay/guarantees.md#money).
 * - A complete answer: what the provider reports; else our own count; nothing for an answer that says nothing.
 * - A client that left: the larger of report and own count, the prompt included even when nothing had come yet.
 * - An upstream that broke off: the same, but nothing when nothing had come.
 */
export async function finalUsage(call: Metered): Promise<Usage> {
  if (call.complete && call.reported) return call.reported;
  call.tell();
  if (!call.meter.heardAnything && !call.clientGone) return call.reported ?? noUsage;
  const counted: Usage = {
    ...noUsage,
    promptTokens: await call.countPrompt(),
    completionTokens: await call.meter.tokens(),
  };
  return call.reported ? larger(call.reported, counted) : counted;
}

const larger = (reported: Usage, counted: Usage): Usage => ({
  ...reported,
  promptTokens: Math.max(reported.promptTokens, counted.promptTokens),
  completionTokens: Math.max(reported.completionTokens, counted.completionTokens),
});
