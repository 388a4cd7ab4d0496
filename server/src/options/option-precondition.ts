import type { OptionKey } from './option-registry.js';

export interface Precondition {
  readonly needs: ReadonlyArray<OptionKey>;
  readonly message: string;
}

/** Settings that must be filled in before a switch may be turned on (docs/reference/rest/options.md#endpoints). */
const preconditions: Partial<Record<OptionKey, Precondition>> = {
  GitHubOAuthEnabled: {
    needs: ['GitHubClientId'],
    message: 'Cannot enable GitHub sign-in: fill in client id and secret first',
  },
  'oidc.enabled': { needs: ['oidc.client_id'], message: 'Cannot enable OIDC sign-in: fill in the client id first' },
  LinuxDOOAuthEnabled: {
    needs: ['LinuxDOClientId'],
    message: 'Cannot enable Linux DO sign-in: fill in the client id first',
  },
  EmailDomainRestrictionEnabled: {
    needs: ['EmailDomainWhitelist'],
    message: 'Cannot restrict e-mail domains: fill in the whitelist first',
  },
  WeChatAuthEnabled: {
    needs: ['WeChatServerAddress'],
    message: 'Cannot enable WeChat sign-in: fill in the server address first',
  },
  TurnstileCheckEnabled: {
    needs: ['TurnstileSiteKey'],
    message: 'Cannot enable Turnstile: fill in the site key first',
  },
  TelegramOAuthEnabled: {
    needs: ['TelegramBotToken'],
    message: 'Cannot enable Telegram sign-in: fill in the bot token first',
  },
};

/** Returns the condition of turning this switch on; undefined for every other change. */
export const preconditionOf = (key: OptionKey, value: unknown): Precondition | undefined =>
  value === true ? preconditions[key] : undefined;
