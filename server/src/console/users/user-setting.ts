import type { Secrets } from '../../shared/secrets.js';
import { isZoneName } from '../../shared/calendar.js';
import { parseFields } from '../../shared/json.js';

/** Currencies of amounts: USD, or the site's own at the rate of the option Price. */
export const displayCurrencies = ['usd', 'local'] as const;
export type DisplayCurrency = (typeof displayCurrencies)[number];

/**
 * Notification settings, accepted risks and display choices of a user (JSON text in `users.setting`,
 * docs/reference/rest/entities.md#user-setting).
 */
export interface UserSetting {
  readonly notifyType: 'email' | 'webhook';
  /** The threshold. Null: option QuotaRemindThreshold applies. */
  readonly quotaWarningThreshold: number | null;
  readonly webhookUrl: string;
  readonly webhookSecret: string;
  /** The address; empty for the account's own address. */
  readonly notificationEmail: string;
  readonly acceptUnsetModelRatioModel: boolean;
  /** The currency in which the console shows amounts. Null: the site's currency. */
  readonly displayCurrency: DisplayCurrency | null;
  /** The IANA name of the zone in which the console shows times. Null: the browser's zone. */
  readonly timeZone: string | null;
}

/** The key in REST, and in rows of older consoles. */
const secretKey = 'webhook_secret';
/** The key in the column. */
const sealedKey = 'webhook_secret_sealed';

/** Reads and writes the column `users.setting`. The webhook secret is encrypted there, under its own key. */
export class UserSettings {
  constructor(private readonly secrets: Pick<Secrets, 'seal' | 'open'>) {}

  /** Parses the column, including rows of older consoles. Unreadable text gives the defaults. */
  read(column: string): UserSetting {
    return toSetting(this.open(parseFields(column) ?? {}));
  }

  /** Returns JSON text (docs/reference/rest/entities.md#user-setting) that its owner may see. */
  shown(column: string): string {
    return column === '' ? '' : JSON.stringify(this.open(parseFields(column) ?? {}));
  }

  /** @param keys as on the wire */
  toColumn({ [secretKey]: secret, ...keys }: Readonly<Record<string, unknown>>): string {
    const sealed = typeof secret === 'string' && secret !== '' ? { [sealedKey]: this.secrets.seal(secret) } : {};
    return JSON.stringify({ ...keys, ...sealed });
  }

  /** Returns the column with its secret encrypted, for a row of an older console. Null when it needs no change. */
  resealed(column: string): string | null {
    const keys = parseFields(column) ?? {};
    return secretKey in keys ? this.toColumn(this.open(keys)) : null;
  }

  private open({ [sealedKey]: sealed, ...keys }: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return typeof sealed === 'string' ? { ...keys, [secretKey]: this.secrets.open(sealed) } : keys;
  }
}

function toSetting(keys: Readonly<Record<string, unknown>>): UserSetting {
  const string = (key: string): string => (typeof keys[key] === 'string' ? keys[key] : '');
  const threshold = keys['quota_warning_threshold'];
  return {
    notifyType: keys['notify_type'] === 'webhook' ? 'webhook' : 'email',
    quotaWarningThreshold: typeof threshold === 'number' && threshold > 0 ? threshold : null,
    webhookUrl: string('webhook_url'),
    webhookSecret: string(secretKey),
    notificationEmail: string('notification_email'),
    acceptUnsetModelRatioModel: keys['accept_unset_model_ratio_model'] === true,
    displayCurrency: displayCurrencies.find((one) => one === keys['display_currency']) ?? null,
    timeZone: isZoneName(string('time_zone')) ? string('time_zone') : null,
  };
}

/** Returns a user's setting in the form for admins, without the webhook secret. */
export function withoutSecrets(setting: string): string {
  if (setting === '') return '';
  const shown = Object.entries(parseFields(setting) ?? {}).filter(([key]) => !/secret|token|password/i.test(key));
  return shown.length === 0 ? '' : JSON.stringify(Object.fromEntries(shown));
}

/** Returns a user without the secrets in the setting, which only its owner may read. */
export const asSeen = <Stored extends { setting: string }>(user: Stored): Stored => ({
  ...user,
  setting: withoutSecrets(user.setting),
});
