/** How a user wants to be told, and what he accepts (JSON text in `users.setting`, `rest-api.md` 2.2). */
export interface UserSetting {
  readonly notifyType: 'email' | 'webhook';
  /** Null: option QuotaRemindThreshold. */
  readonly quotaWarningThreshold: number | null;
  readonly webhookUrl: string;
  readonly webhookSecret: string;
  /** Empty: the account's own address. */
  readonly notificationEmail: string;
  readonly acceptUnsetModelRatioModel: boolean;
}

/** Whatever stands in the column, also what older consoles wrote there. */
export function readSetting(text: string): UserSetting {
  const keys = parse(text);
  const string = (key: string): string => (typeof keys[key] === 'string' ? keys[key] : '');
  const threshold = keys['quota_warning_threshold'];
  return {
    notifyType: keys['notify_type'] === 'webhook' ? 'webhook' : 'email',
    quotaWarningThreshold: typeof threshold === 'number' && threshold > 0 ? threshold : null,
    webhookUrl: string('webhook_url'),
    webhookSecret: string('webhook_secret'),
    notificationEmail: string('notification_email'),
    acceptUnsetModelRatioModel: keys['accept_unset_model_ratio_model'] === true,
  };
}

/** What an admin sees of somebody's setting: without the secret that signs his webhooks. */
export function withoutSecrets(setting: string): string {
  if (setting === '') return '';
  const shown = Object.entries(parse(setting)).filter(([key]) => !/secret|token|password/i.test(key));
  return shown.length === 0 ? '' : JSON.stringify(Object.fromEntries(shown));
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}
