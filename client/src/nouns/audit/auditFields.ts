import type { TFunction } from 'i18next';
import type { useFormat } from '../../lib/useFormat.js';
import { callPrice, dateTime, ratio, unitPrice } from '../../lib/format.js';
import { inputPrice } from '../prices/priceTables.js';
import { tokenQuantities } from '../prices/quantities.js';
import { quantityLabel } from '../prices/quantityTexts.js';
import { changesOf, namesIn, type AuditEntry, type Change } from './auditChanges.js';

type Subject = AuditEntry['subject'];
type Format = Pick<ReturnType<typeof useFormat>, 'money'>;

/** Fields by the words of the form in which they are changed. */
const labels = {
  allowIps: 'tokens.allowIps',
  amount: 'audit.fields.amount',
  autoDisable: 'channels.autoBan',
  baseUrl: 'fields.baseUrl',
  byAdmin: 'budgets.byAdmin',
  cost: 'channels.cost',
  createdAt: 'fields.createdAt',
  createdBy: 'audit.fields.createdBy',
  customRole: 'customRoles.one',
  deletedAt: 'audit.fields.deletedAt',
  displayName: 'users.displayName',
  email: 'fields.email',
  enabled: 'fields.enabled',
  endsAt: 'budgets.end',
  expiresAt: 'tokens.expires',
  fallbackGroups: 'tokens.fallbackGroups',
  fallbackModels: 'tokens.fallbackModels',
  githubId: 'oauth.providers.github',
  group: 'fields.group',
  groupName: 'fields.group',
  groups: 'fields.group',
  headers: 'channels.headerOverride',
  id: 'fields.id',
  isGift: 'redemptions.isGift',
  isRolling: 'budgets.rolling',
  key: 'fields.key',
  kind: 'budgets.kind',
  level: 'audit.fields.level',
  limits: 'channels.limits',
  linuxDoId: 'oauth.providers.linuxdo',
  maxInputTokens: 'channels.maxInputTokens',
  maxUses: 'redemptions.maxUses',
  modelMapping: 'channels.modelMapping',
  modelPrefix: 'channels.modelPrefix',
  models: 'fields.models',
  name: 'fields.name',
  oidcId: 'oauth.providers.oidc',
  ownerId: 'channels.owner',
  olderThan: 'audit.fields.olderThan',
  openaiOrganization: 'channels.organization',
  parameters: 'channels.paramOverride',
  password: 'fields.password',
  permissions: 'audit.fields.permissions',
  priority: 'channels.priority',
  quota: 'fields.quota',
  rateLimit: 'tokens.limitRate',
  role: 'users.role',
  scopes: 'audit.fields.permissions',
  sessions: 'audit.fields.sessions',
  setting: 'channels.setting',
  source: 'audit.fields.source',
  span: 'budgets.window',
  startsAt: 'budgets.start',
  status: 'fields.status',
  statusChangedAt: 'audit.fields.statusChangedAt',
  statusCodeMapping: 'channels.statusCodeMapping',
  statusReason: 'audit.fields.statusReason',
  subjectId: 'audit.fields.subjectId',
  tag: 'channels.tag',
  telegramId: 'oauth.providers.telegram',
  testModel: 'channels.testModel',
  timeouts: 'channels.timeouts',
  timeZone: 'budgets.zone',
  type: 'fields.type',
  unlimitedQuota: 'tokens.unlimitedQuota',
  userId: 'audit.actorId',
  username: 'fields.username',
  validFrom: 'budgets.start',
  validUntil: 'budgets.end',
  value: 'audit.fields.value',
  wechatId: 'oauth.providers.wechat',
  weight: 'channels.weight',
} as const;

/** The words of a stored value, by the object and the field. */
const words = {
  USER: {
    status: { enabled: 'users.active', banned: 'users.banned' },
    role: { common: 'roles.common', admin: 'roles.admin', root: 'roles.root' },
  },
  TOKEN: {
    status: {
      enabled: 'fields.enabled',
      disabled: 'fields.disabled',
      expired: 'tokens.expired',
      exhausted: 'tokens.exhausted',
    },
  },
  CHANNEL: {
    status: { enabled: 'fields.enabled', disabled: 'fields.disabled', autoDisabled: 'channels.autoDisabled' },
  },
  BUDGET: {
    kind: { money: 'budgets.kinds.MONEY', tokens: 'budgets.kinds.TOKENS', requests: 'budgets.kinds.REQUESTS' },
    level: {
      token: 'audit.subjects.token',
      user: 'audit.subjects.user',
      group: 'fields.group',
      channel: 'audit.subjects.channel',
      site: 'budgets.levels.SITE',
    },
    span: {
      minute: 'budgets.spans.MINUTE',
      '5h': 'budgets.spans.FIVE_HOURS',
      day: 'budgets.spans.DAY',
      week: 'budgets.spans.WEEK',
      month: 'budgets.spans.MONTH',
      fixed: 'budgets.spans.FIXED',
    },
  },
  REDEMPTION: { status: { enabled: 'redemptions.unused', disabled: 'fields.disabled', used: 'redemptions.used' } },
} as const;
type Word<T> = T extends string ? T : { [K in keyof T]: Word<T[K]> }[keyof T];

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** The name of a changed field in the reader's language; one without a label as the server names it. */
export function fieldText({ field, row, quantity }: Change, t: TFunction): string {
  if (row !== null && quantity !== undefined) return `${row}, ${quantityLabel(t, quantity)}`;
  const label = Object.hasOwn(labels, field) ? t(labels[field as keyof typeof labels]) : field;
  if (row === null) return label;
  // A change of a setting only shows the rows, because the title names the setting.
  return field === 'value' ? row : `${label}: ${row}`;
}

/** A value for people: amounts, times, and the words of stored values. Everything else as it is stored. */
export function valueText(subject: Subject, change: Change, value: string, t: TFunction, format: Format): string {
  const { field, row } = change;
  if (row !== null && change.setting !== undefined) return priceText(change, value, t);
  if (row !== null || subject === 'OPTION') return value;
  const word = wordOf(subject, field, value);
  if (word) return t(word);
  if (field === 'quota' && isWhole(value)) return format.money(Number(value), 'amount');
  return isoTime.test(value) ? dateTime(value, 'seconds') : (namesIn(value)?.join(', ') ?? value);
}

/** A price of a table as people write it: `$2.50 / 1M`; a ratio of prices as `4×`. Everything else as it is stored. */
function priceText({ setting, quantity }: Change, value: string, t: TFunction): string {
  const number = Number(value);
  if (setting === 'PriceCards' && value === 'built-in') return t('priceCard.fromList');
  if (value.trim() === '' || !Number.isFinite(number)) return value;
  if (quantity !== undefined) return `${unitPrice(number)}${isTokens(quantity) ? ' / 1M' : ''}`;
  if (setting === 'ModelRatio') return `${unitPrice(inputPrice(number))} / 1M`;
  if (setting === 'ModelPrice') return callPrice(number);
  return setting !== undefined && factors.includes(setting) ? `${ratio(number)}×` : value;
}

/** Settings whose rows multiply a price. */
const factors = ['CompletionRatio', 'CacheRatio', 'GroupRatio'];
const isTokens = (quantity: string): boolean => tokenQuantities.some((one) => one === quantity);

const isWhole = (text: string): boolean => /^-?\d{1,15}$/.test(text);

function wordOf(subject: Subject, field: string, value: string): Word<typeof words> | undefined {
  const ofSubject: Readonly<Record<string, Readonly<Record<string, Word<typeof words>>>>> =
    words[subject as keyof typeof words] ?? {};
  const ofField = Object.hasOwn(ofSubject, field) ? ofSubject[field] : undefined;
  return ofField && Object.hasOwn(ofField, value) ? ofField[value] : undefined;
}

/** One line: the first change, and how many more there are. */
export function summaryOf(entry: AuditEntry, t: TFunction, format: Format): string {
  const changes = changesOf(entry);
  const [first] = changes;
  if (!first) return '';
  const short = (value: string | null): string => {
    const text = value === null ? '' : valueText(entry.subject, first, value, t, format);
    return text.length > 40 ? `${text.slice(0, 40)}…` : text || '–';
  };
  const more = changes.length > 1 ? ` +${changes.length - 1}` : '';
  return `${fieldText(first, t)}: ${short(first.before)} → ${short(first.after)}${more}`;
}
