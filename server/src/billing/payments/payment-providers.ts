import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.js';
import { InvalidInputError } from '../../shared/errors.js';
import { siteAddress } from '../../shared/site-address.js';
import type { OptionValues } from '../../options/option.service.js';
import type { PaymentMethod, PaymentProvider, ProviderContext } from './provider.js';

export interface PaymentProvidersDeps {
  readonly list: readonly [PaymentProvider, ...PaymentProvider[]];
  readonly options: { readonly values: OptionValues };
  readonly fetch: Pick<GuardedFetch, 'fetch'>;
  /** See `ProviderContext.apiAddress`. */
  readonly apiAddress?: string | undefined;
}

export interface ProviderMethod {
  readonly provider: PaymentProvider;
  readonly method: PaymentMethod;
  /** Buyers may choose it. */
  readonly isOffered: boolean;
}

/** The payment providers with the settings of the site. */
export class PaymentProviders {
  constructor(private readonly deps: PaymentProvidersDeps) {}

  get list(): readonly PaymentProvider[] {
    return this.deps.list;
  }

  /** The methods of all providers, offered methods first. */
  methods(): ProviderMethod[] {
    const settings = this.deps.options.values;
    const all = this.list.flatMap((provider) => {
      const isOffered = provider.isConfigured(settings);
      return provider.methods(settings).map((method) => ({ provider, method, isOffered }));
    });
    return all.sort((left, right) => Number(right.isOffered) - Number(left.isOffered));
  }

  defaultMethod(): ProviderMethod {
    const [first] = this.methods();
    if (!first) throw new Error('no provider has a payment method');
    return first;
  }

  /** @param name id of a method, or another name of it */
  find(name: string): ProviderMethod | undefined {
    return this.methods().find(({ method }) => method.id === name || method.aliases.includes(name));
  }

  /** @throws InvalidInputError for an unknown name. Without a name: the first that is configured, else the first of all */
  named(name?: string | null): PaymentProvider {
    if (name == null) return this.list.find((one) => one.isConfigured(this.deps.options.values)) ?? this.deps.list[0];
    const found = this.list.find((one) => one.name === name);
    if (!found) throw new InvalidInputError('Unknown payment provider', 'provider');
    return found;
  }

  /** Our account at a provider; null while it is not configured. */
  accountOf(provider: PaymentProvider): string | null {
    const settings = this.deps.options.values;
    return provider.isConfigured(settings) ? provider.account(settings) : null;
  }

  /**
   * @param signal aborts the calls of the provider
   * @param returnPath the page of the console to which the buyer returns
   */
  contextOf({ name }: PaymentProvider, signal?: AbortSignal, returnPath = '/log'): ProviderContext {
    const settings = this.deps.options.values;
    const ourAddress = siteAddress(settings.ServerAddress);
    return {
      settings,
      fetch: (call) => this.deps.fetch.fetch(signal ? { ...call, signal } : call),
      notifyUrl: `${settings.CustomCallbackAddress || ourAddress}/api/user/${name}/notify`,
      returnUrl: `${ourAddress}${returnPath}`,
      apiAddress: this.deps.apiAddress,
    };
  }
}
