import type { TokenStatus } from '../../billing/accounts/index.js';
import { splitList } from '../../shared/comma-list.js';
import { isAddressOrRange } from '../../shared/address.js';
import { dateOf } from '../../shared/clock.js';
import { isSignedKey } from '../../shared/key-text.js';
import { BadRecord, type Fields } from '../source/fields.js';
import { amountOf, type MapContext, type Mapper, type Values } from './mapped.js';

const table = 'tokens';
const prefixLength = 6;

const statuses: ReadonlyMap<number, TokenStatus> = new Map([
  [1, 'enabled'],
  [2, 'disabled'],
  [3, 'expired'],
  [4, 'exhausted'],
]);

/**
 * Returns the key in the form in which it is looked up: without the blanks of `char(n)`, and without a stored prefix.
 */
export const keyOf = (row: Fields): string => row.code('key').replace(/^sk-/, '');

/** Maps an API key, which keeps its text, so that clients change nothing. */
export const mapToken: Mapper = (row, context) => {
  const { findings } = context;
  const { id } = row;
  const key = keyOf(row);
  const userId = row.whole('user_id');
  if (key === '') {
    findings.add('key-missing', table, id);
    return [];
  }
  if (!context.users.ids.has(userId)) {
    findings.add('owner-missing', table, id, `user ${userId}`);
    return [];
  }
  if (key.includes('-') && !isSignedKey(key)) findings.add('token-dash', table, id);
  const remain = amountOf(row, 'remain_quota', table, context);
  if (remain < 0 && !row.flag('unlimited_quota')) findings.add('balance-negative', table, id, String(remain));
  const used = amountOf(row, 'used_quota', table, context);
  if (used < 0) findings.add('counter-negative', table, id, String(used));
  const models = row.has('model_limits') ? row.text('model_limits') : row.text('models');
  const isLimited = row.has('model_limits_enabled') ? row.flag('model_limits_enabled') : models.trim() !== '';
  return [
    {
      key: String(id),
      values: {
        id,
        user_id: userId,
        // Only LiteLLM has teams with members and projects.
        member_id: context.family === 'litellm' ? row.whole('member_id') : 0,
        project_id: context.family === 'litellm' ? row.whole('project_id') : 0,
        key_prefix: key.slice(0, prefixLength),
        status: statuses.get(row.whole('status', 1)) ?? 'disabled',
        name: row.text('name'),
        ...momentsOf(row, used),
        unlimited_quota: row.flag('unlimited_quota'),
        model_limits_enabled: isLimited,
        model_limits: splitList(models),
        allow_ips: addressesOf(row, context),
        group: groupOf(row, context),
        deleted_at: row.time('deleted_at'),
      },
      sealed: { key_sealed: key },
      hashed: { key_hash: key },
      amounts: { remain_quota: remain, used_quota: Math.max(0, used) },
    },
  ];
};

/** A key that was never used was last accessed when it was created. Zero is unknown. */
function momentsOf(row: Fields, used: number): Values {
  const [created, accessed, expires] = [
    row.seconds('created_time'),
    row.seconds('accessed_time'),
    row.seconds('expired_time', -1),
  ];
  return {
    created_at: isoOf(created),
    last_used_at: accessed > 0 && (accessed > created || used !== 0) ? isoOf(accessed) : null,
    expires_at: expires === -1 ? null : isoOf(expires),
  };
}

const isoOf = (unixSeconds: number): string => dateOf(Math.max(0, unixSeconds)).toISOString();

function groupOf(row: Fields, { findings }: MapContext): string {
  const group = row.text('group').trim();
  if (group !== 'auto') return group;
  findings.add('token-group-auto', table, row.id);
  return '';
}

/** Returns the allow list. A list that loses all entries would allow every address, so such a key is refused. */
function addressesOf(row: Fields, { findings }: MapContext): string[] {
  const given = `${row.text('allow_ips')},${row.text('subnet')}`.split(/[\s,;]+/).filter(Boolean);
  const valid = given.filter(isAddressOrRange);
  if (valid.length === given.length) return valid;
  const wrong = given.filter((entry) => !isAddressOrRange(entry)).join(', ');
  if (valid.length === 0) throw new BadRecord(`no allowed address is an IP address or range: ${wrong}`);
  findings.add('token-addresses', table, row.id, wrong);
  return valid;
}
