import { asFields, asList } from '../../../shared/json.js';
import type { Example, FindingCode } from '../../findings.js';
import { quotaPerUnitOf } from '../../quota-per-unit.js';
import { Fields } from '../fields.js';
import type { SourceDatabase } from '../source.js';
import { channelOf } from './channels.js';
import { logOf } from './log.js';
import { readOptions } from './options.js';
import { jsonOf, named, without, type Row } from './rows.js';

type Translate = (row: Row) => Row;

/**
 * Offers a database of one-hub or done-hub in the tables and columns of new-api. What has no counterpart stays in its row, so
 * that it is reported. Channels keep their types, and `prices` keeps its form.
 */
export async function readOneHub(source: SourceDatabase): Promise<SourceDatabase> {
  const notes: Array<Example & { readonly code: FindingCode }> = [...(source.notes ?? [])];
  const options = await readOptions(source, notes);
  const quotaPerUnit = quotaPerUnitOf(options);
  const gateways = new Map(
    (source.columns.has('payments') ? await source.all('payments') : []).map((row) => {
      const fields = new Fields(row);
      return [fields.text('id'), fields.text('type')];
    }),
  );
  const translations: Readonly<Record<string, Translate>> = {
    users: userOf,
    tokens: tokenOf,
    channels: channelOf,
    logs: (row) => logOf(row, quotaPerUnit),
    orders: (row) => orderOf(row, gateways),
  };
  const columns = new Map(source.columns);
  const ofOrders = columns.get('orders');
  columns.delete('orders');
  if (ofOrders) columns.set('top_ups', ofOrders);
  const nameThere = (table: string): string => (table === 'top_ups' ? 'orders' : table);
  return {
    engine: source.engine,
    notes,
    columns,
    async page(table, page) {
      const there = nameThere(table);
      const translate = translations[there];
      if (!translate) return source.page(there, page);
      const { columns: wanted, ...rest } = page;
      const logged = there === 'logs' && wanted ? { columns: [...wanted, 'request_time', 'metadata'] } : {};
      for (let { after } = page; ;) {
        const rows = await source.page(there, { ...rest, ...logged, after });
        const last = rows.at(-1);
        if (!last) return [];
        // A channel that was deleted stays in its table.
        const alive = there === 'channels' ? rows.filter((row) => new Fields(row).time('deleted_at') === null) : rows;
        if (alive.length > 0) return alive.map((row) => translate({ ...row }));
        after = Number(last['id']);
      }
    },
    newest: (table, newest) => source.newest(nameThere(table), newest),
    all: async (table) =>
      table === 'options' ? [...options].map(([key, value]) => ({ key, value })) : source.all(nameThere(table)),
    one: (table, select, where) => source.one(nameThere(table), select, where),
    close: () => source.close(),
  };
}

function userOf(row: Row): Row {
  const fields = new Fields(row);
  return {
    ...without(
      row,
      'created_time',
      'linuxdo_id',
      'linuxdo_username',
      'linuxdo_trust_level',
      'last_login_time',
      'last_login_ip',
    ),
    created_at: row['created_time'],
    telegram_id: numberOrNone(fields.text('telegram_id')),
    linux_do_id: numberOrNone(fields.text('linuxdo_id')),
  };
}

const numberOrNone = (text: string): string => (text === '0' ? '' : text);

function tokenOf({ setting, ...row }: Row): Row {
  const { heartbeat, limits, ...more } = jsonOf(setting);
  const ofModels = asFields(asFields(limits)?.['limit_model_setting']);
  const ofAddresses = asFields(asFields(limits)?.['limits_ip_setting']);
  const addresses = ofAddresses?.['enabled'] === true ? asList(ofAddresses['whitelist']).join('\n') : '';
  const left = { ...more, ...(asFields(heartbeat)?.['enabled'] === true ? { heartbeat: true } : {}) };
  return {
    ...row,
    model_limits_enabled: ofModels?.['enabled'] === true,
    model_limits: ofModels?.['enabled'] === true ? asList(ofModels['models']).join(',') : '',
    allow_ips: addresses,
    ...named('setting', left),
  };
}

function orderOf(
  { gateway_id: gateway, order_amount: money, order_currency: currency, created_at: created, ...row }: Row,
  gateways: ReadonlyMap<string, string>,
): Row {
  const type = gateways.get(new Fields({ gateway }).text('gateway')) ?? '';
  return {
    ...without(row, 'amount', 'gateway_no', 'fee', 'discount', 'updated_at'),
    money,
    currency,
    create_time: created,
    payment_provider: type,
    payment_method: type,
  };
}
