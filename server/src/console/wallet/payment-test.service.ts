import type { SharedState } from '../../platform/cache/shared-state.js';
import { classify } from '../../platform/outbound/address-class.js';
import { requirePermission, type MaybeActor } from '../../shared/actor.js';
import { AppError, isAppError } from '../../shared/errors.js';
import type { OptionValues } from '../../options/option.service.js';
import type { PaymentProviders, PaymentTestOutcome, ProviderTest } from '../../billing/payments/index.js';

export interface PaymentTest extends ProviderTest {
  /** Where the provider reports payments. */
  readonly callbackUrl: string;
}

export interface PaymentTestDeps {
  readonly providers: PaymentProviders;
  readonly options: { readonly values: OptionValues };
  readonly state: Pick<SharedState, 'hit'>;
}

const [testsPerWindow, windowSeconds] = [20, 600];

/** Checks the settings of a payment provider without a payment. */
export class PaymentTestService {
  constructor(private readonly deps: PaymentTestDeps) {}

  /**
   * @param name of a provider; the one that is configured unless it is given
   * @throws AppError INSUFFICIENT_PRIVILEGES, INVALID_INPUT (unknown provider), RATE_LIMITED
   */
  async test(actor: MaybeActor, name?: string | null): Promise<PaymentTest> {
    const { id } = requirePermission(actor, 'payments.settings');
    const { providers, options, state } = this.deps;
    const provider = providers.named(name);
    const { allowed, retryAfterSeconds } = await state.hit(`pay-test:${id}`, testsPerWindow, windowSeconds);
    if (!allowed) throw new AppError('RATE_LIMITED', 'Too many tests, try later', { retryAfterSeconds });
    const context = providers.contextOf(provider);
    const callbackUrl = context.notifyUrl;
    if (!provider.isConfigured(options.values)) return { outcome: 'NOT_CONFIGURED', reply: null, callbackUrl };
    try {
      const { outcome, reply } = await provider.test(context);
      const isUnreachable = (outcome === 'WORKS' || outcome === 'CALLBACK_MISSING') && !isPublic(callbackUrl);
      return { outcome: isUnreachable ? 'CALLBACK_NOT_PUBLIC' : outcome, reply, callbackUrl };
    } catch (error) {
      if (!isAppError(error)) throw error;
      return { outcome: failureOf(error), reply: null, callbackUrl };
    }
  }
}

const tlsCode = /CERT|TLS|SSL|EPROTO|UNABLE_TO_VERIFY|SELF_SIGNED/;

function failureOf(error: AppError): PaymentTestOutcome {
  if (error.code === 'INVALID_INPUT') return 'ADDRESS_REFUSED';
  if (error.code === 'UPSTREAM_TIMEOUT') return 'TIMED_OUT';
  if (error.code === 'UPSTREAM_INVALID_RESPONSE') return 'NOT_A_GATEWAY';
  const cause = error.cause as { code?: unknown } | undefined;
  return typeof cause?.code === 'string' && tlsCode.test(cause.code) ? 'TLS_FAILED' : 'UNREACHABLE';
}

/** Names count as public, except those of this machine: only the gateway can resolve them as it does. */
function isPublic(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const host = new URL(address).hostname.replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host.endsWith('.localhost') || host.endsWith('.local')) return false;
  return !/^[\d.]+$|:/.test(host) || classify(host) === 'public';
}
