import type { Repository } from 'typeorm';
import { z } from 'zod';
import type { Changes } from '../../platform/cache/changes.js';
import { requireAccount, type MaybeActor } from '../../shared/actor.js';
import { isZoneName } from '../../shared/calendar.js';
import { InvalidInputError, isAppError } from '../../shared/errors.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { maxQuota } from '../../shared/quota.js';
import { emailRule } from './user-input.js';
import { displayCurrencies, User, type UserSetting, type UserSettings } from '../../billing/accounts/index.js';

/** Settings as clients send them. */
export interface SettingInput {
  readonly notifyType?: string;
  /** The threshold. Null: option QuotaRemindThreshold applies. */
  readonly quotaWarningThreshold?: number | null;
  readonly webhookUrl?: string;
  /** The secret; empty when there is none. */
  readonly webhookSecret?: string;
  readonly notificationEmail?: string;
  readonly acceptUnsetModelRatioModel?: boolean;
  readonly recordIpLog?: boolean;
  /** One of `displayCurrencies`. Null: the site's currency. */
  readonly displayCurrency?: string | null;
  /** An IANA name. Null: the browser's zone. */
  readonly timeZone?: string | null;
}

export interface SettingDeps {
  readonly users: Repository<User>;
  readonly settings: UserSettings;
  readonly changes: Changes;
  /**
   * Refuses URLs that outbound calls may not reach.
   * @throws AppError INVALID_INPUT
   */
  readonly checkUrl: (url: URL) => void;
}

/**
 * Notification settings and display choices of a user (docs/reference/rest/entities.md#user-setting). Writes the column `setting` only.
 */
export class SettingService {
  constructor(private readonly deps: SettingDeps) {}

  async get(actor: MaybeActor): Promise<UserSetting> {
    const { id } = requireAccount(actor, 'wallet');
    const user = await this.deps.users.findOne({ where: { id }, select: { id: true, setting: true } });
    return this.deps.settings.read(user?.setting ?? {});
  }

  /**
   * Changes the given fields.
   * @throws AppError INVALID_INPUT for the first invalid field
   */
  async update(actor: MaybeActor, patch: SettingInput): Promise<UserSetting> {
    return this.change(actor, (before) => ({ ...before, ...patch }));
  }

  /**
   * Replaces the whole setting; absent fields take their defaults. An absent webhook secret stays, and so do the display
   * choices, which clients of this route do not know.
   * @throws AppError INVALID_INPUT for the first invalid field
   */
  async replace(actor: MaybeActor, input: SettingInput): Promise<UserSetting> {
    return this.change(actor, ({ webhookSecret, displayCurrency, timeZone }) => ({
      webhookSecret,
      displayCurrency,
      timeZone,
      ...omitUndefined(input),
    }));
  }

  /** All fields are one column, so the row is locked from the read on: of two changes at once neither is lost. */
  private async change(actor: MaybeActor, next: (before: UserSetting) => SettingInput): Promise<UserSetting> {
    const { id } = requireAccount(actor, 'wallet');
    const setting = await this.deps.users.manager.transaction(async (manager) => {
      const user = await manager.findOne(User, {
        where: { id },
        select: { id: true, setting: true },
        lock: { mode: 'for_no_key_update' },
      });
      const after = this.deps.settings.stored(this.check(next(this.deps.settings.read(user?.setting ?? {}))));
      await manager.update(User, { id }, { setting: after });
      return after;
    });
    await this.deps.changes.announce({ kind: 'user', id });
    return this.deps.settings.read(setting);
  }

  private check(input: SettingInput): Partial<UserSetting> {
    const { notifyType, quotaWarningThreshold: threshold } = input;
    if (notifyType !== 'email' && notifyType !== 'webhook') {
      throw new InvalidInputError('Invalid notification type', 'notifyType');
    }
    if (threshold !== null && (threshold === undefined || !(threshold > 0))) {
      throw new InvalidInputError('Threshold must be above 0', 'quotaWarningThreshold');
    }
    if (threshold !== null && threshold > maxQuota) {
      throw new InvalidInputError(`Threshold must be at most ${maxQuota}`, 'quotaWarningThreshold');
    }
    return {
      notifyType,
      quotaWarningThreshold: threshold,
      ...(notifyType === 'webhook' ? this.checkWebhook(input) : checkEmail(input)),
      acceptUnsetModelRatioModel: input.acceptUnsetModelRatioModel ?? false,
      recordIpLog: input.recordIpLog ?? false,
      ...checkDisplay(input),
    };
  }

  private checkWebhook({ webhookUrl = '', webhookSecret = '' }: SettingInput): Partial<UserSetting> {
    const address = webhookUrl.trim();
    if (address === '') throw new InvalidInputError('Webhook URL must not be empty', 'webhookUrl');
    const invalid = (reason = ''): InvalidInputError =>
      new InvalidInputError(`Invalid webhook URL${reason && `: ${reason}`}`, 'webhookUrl');
    if (address.length > 2000 || !URL.canParse(address)) throw invalid();
    const url = new URL(address);
    if (url.protocol !== 'https:') throw invalid('it must begin with https://');
    try {
      this.deps.checkUrl(url);
    } catch (error) {
      throw isAppError(error) ? invalid(error.message) : error;
    }
    const secret = secretRule.safeParse(webhookSecret);
    if (!secret.success)
      throw new InvalidInputError(secret.error.issues[0]?.message ?? 'Invalid parameter', 'webhookSecret');
    return { webhookUrl: url.href, webhookSecret: secret.data };
  }
}

const displayRule = z.object({
  displayCurrency: z.enum(displayCurrencies, 'Unknown display currency').nullish(),
  timeZone: z.string().refine(isZoneName, 'Unknown time zone').nullish(),
});

function checkDisplay({ displayCurrency, timeZone }: SettingInput): Partial<UserSetting> {
  const { data, error } = displayRule.safeParse({ displayCurrency, timeZone });
  const [problem] = error?.issues ?? [];
  if (problem) throw new InvalidInputError(problem.message, String(problem.path[0]));
  return { displayCurrency: data?.displayCurrency ?? null, timeZone: data?.timeZone ?? null };
}

/** Sent in a header, so printable ASCII only. */
const secretRule = z
  .string()
  .max(200, 'Webhook secret must have at most 200 characters')
  .regex(/^[\x21-\x7e]*$/, 'Webhook secret must be printable ASCII without spaces');

function checkEmail({ notificationEmail = '' }: SettingInput): Partial<UserSetting> {
  const email = emailRule.safeParse(notificationEmail);
  if (!email.success) throw new InvalidInputError('Invalid e-mail address', 'notificationEmail');
  return { notificationEmail: email.data };
}
