import { omitUndefined } from '../../shared/omit-undefined.js';
import type { Secrets } from '../../shared/secrets.js';

/** Currencies of amounts: USD, or the site's own at the rate of the option Price. */
export const displayCurrencies = ['usd', 'local'] as const;
type DisplayCurrency = (typeof displayCurrencies)[number];

/** Notification settings, accepted risks and display choices of a user (docs/reference/rest/entities.md#user-setting). */
export interface UserSetting {
  readonly notifyType: 'email' | 'webhook';
  /** The threshold. Null: option QuotaRemindThreshold applies. */
  readonly quotaWarningThreshold: number | null;
  readonly webhookUrl: string;
  readonly webhookSecret: string;
  /** The address; empty for the account's own address. */
  readonly notificationEmail: string;
  readonly acceptUnsetModelRatioModel: boolean;
  /** Whether log rows of the user's calls have the address of the client. */
  readonly recordIpLog: boolean;
  /** The currency in which the console shows amounts. Null: the site's currency. */
  readonly displayCurrency: DisplayCurrency | null;
  /** The IANA name of the zone in which the console shows times. Null: the browser's zone. */
  readonly timeZone: string | null;
}

/** The column `users.setting`. Absent fields have their default; the webhook secret is encrypted. */
export type StoredSetting = {
  readonly [Field in keyof Omit<UserSetting, 'webhookSecret'>]?: NonNullable<UserSetting[Field]>;
} & { readonly webhookSecretSealed?: string };

const defaults: UserSetting = {
  notifyType: 'email',
  quotaWarningThreshold: null,
  webhookUrl: '',
  webhookSecret: '',
  notificationEmail: '',
  acceptUnsetModelRatioModel: false,
  recordIpLog: false,
  displayCurrency: null,
  timeZone: null,
};

/** Encrypts the webhook secret of a setting, and reads it again. */
export class UserSettings {
  constructor(private readonly secrets: Pick<Secrets, 'seal' | 'open'>) {}

  read({ webhookSecretSealed: sealed, ...stored }: StoredSetting): UserSetting {
    return { ...defaults, ...stored, ...(sealed && { webhookSecret: this.secrets.open(sealed) }) };
  }

  /** @param setting of which the default of an absent field applies */
  stored({ webhookSecret, ...setting }: Partial<UserSetting>): StoredSetting {
    return omitUndefined({
      notifyType: setting.notifyType,
      quotaWarningThreshold: setting.quotaWarningThreshold ?? undefined,
      webhookUrl: setting.webhookUrl || undefined,
      notificationEmail: setting.notificationEmail || undefined,
      acceptUnsetModelRatioModel: setting.acceptUnsetModelRatioModel,
      recordIpLog: setting.recordIpLog || undefined,
      displayCurrency: setting.displayCurrency ?? undefined,
      timeZone: setting.timeZone ?? undefined,
      webhookSecretSealed: webhookSecret ? this.secrets.seal(webhookSecret) : undefined,
    });
  }
}
