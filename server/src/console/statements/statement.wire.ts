import { z } from 'zod';
import { flag, int, parameter, quota, seconds, text } from '../../platform/http/openapi/operation.js';
import { unixSeconds } from '../../shared/clock.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import type { BillingProfile, StatementDocument } from '../../billing/statements/index.js';
import type { ProfileInput, StatementFilter } from './statement.service.js';

const party = { name: text('Billing name'), address: text('Lines'), tax_id: text('Tax number') };

/** A statement in a list. */
export const listedShape = z.object({
  id: z.int().nullable(),
  number: z.string().nullable().describe('On the document, without gaps in a year. Null: a preview'),
  account_id: int('The account'),
  month: text('Such as `2026-11`'),
  starts_at: seconds('Start of the month'),
  ends_at: seconds('Start of the next month'),
  time_zone: text('Zone of both'),
  closed_at: z.int().nullable().describe('Unix seconds. Null: a preview of the month that runs'),
  opening: quota('Closing balance of the statement before'),
  credits: quota('What else changed the balance'),
  usage: quota('What calls cost'),
  closing: quota('`opening` + `credits` - `usage`'),
  reserved: quota('Held by calls in flight, in a preview'),
  quota_per_usd: z.number(),
  seller: z.object({ ...party, note: text('Below the statement') }),
  buyer: z.object({ username: text('Name of the account'), ...party }),
});

/** A whole statement. A preview has no id, number and time. */
export const statementShape = listedShape.extend({
  movements: z.array(z.object({ kind: text('Kind'), count: int('Movements'), amount: quota('Sum') })),
  payments: z.array(
    z.object({
      kind: text('`top_up` or `payment_refund`'),
      at: seconds('Time'),
      amount: quota('Added'),
      reference: text('Number of the order'),
    }),
  ),
  lines: z.array(
    z.object({
      token_id: int('The key; 0: none'),
      token_name: text('Empty: deleted'),
      model_name: text('Requested model'),
      member_id: int('The membership of the key; 0: none'),
      member: text('Name of the member; empty: none'),
      project_id: int('The project of the key; 0: none'),
      project: text('Name of the project; empty: none'),
      calls: int('Calls'),
      prompt_tokens: int('Tokens of prompts'),
      completion_tokens: int('Tokens of output'),
      quota: quota('Charged'),
    }),
  ),
});

export const profileShape = z.object({
  name: text('Billing name'),
  address: text('Lines'),
  tax_id: text('Tax number'),
  notifies: flag('A notice is sent when a statement is closed'),
});
/** An absent field keeps its value. */
export const profileBody = profileShape.partial();

export const toProfile = ({ name, address, taxNumber, notifies }: BillingProfile): z.output<typeof profileShape> => ({
  name,
  address,
  tax_id: taxNumber,
  notifies,
});
export const toProfileInput = ({ tax_id: taxNumber, ...body }: z.output<typeof profileBody>): ProfileInput =>
  omitUndefined({ ...body, taxNumber });

const partyWire = ({ name, address, taxNumber }: StatementDocument['content']['seller' | 'buyer']) => ({
  name,
  address,
  tax_id: taxNumber,
});

export const toListed = ({ content, ...one }: StatementDocument): z.output<typeof listedShape> => ({
  id: one.id,
  number: one.number,
  account_id: one.accountId,
  month: one.month,
  starts_at: unixSeconds(new Date(content.startsAt)),
  ends_at: unixSeconds(new Date(content.endsAt)),
  time_zone: content.timeZone,
  closed_at: one.closedAt && unixSeconds(one.closedAt),
  opening: one.opening,
  credits: one.credits,
  usage: one.usage,
  closing: one.closing,
  reserved: one.reserved,
  quota_per_usd: content.quotaPerUnit,
  seller: { ...partyWire(content.seller), note: content.seller.note },
  buyer: { username: content.buyer.username, ...partyWire(content.buyer) },
});

export const toWire = (statement: StatementDocument): z.output<typeof statementShape> => ({
  ...toListed(statement),
  movements: statement.content.credits,
  payments: statement.content.payments.map(({ at, ...payment }) => ({ ...payment, at: unixSeconds(new Date(at)) })),
  lines: statement.content.usage.map((line) => ({
    token_id: line.tokenId,
    token_name: line.tokenName,
    model_name: line.modelName,
    member_id: line.memberId ?? 0,
    member: line.memberName ?? '',
    project_id: line.projectId ?? 0,
    project: line.projectName ?? '',
    calls: line.calls,
    prompt_tokens: line.promptTokens,
    completion_tokens: line.completionTokens,
    quota: line.quota,
  })),
});

export const languageQuery = { language: parameter.words('`en`, `zh`, `ja`, `fr`, `ru` or `vi`. Default: `en`') };
export const ownQuery = { month: parameter.words('Such as `2026-11`') };
export const allQuery = { ...ownQuery, account_id: parameter.id('Id of an account') };
export const previewQuery = { account_id: parameter.id('Id of an account. Default: the own; others need `payments`') };
export const printQuery = {
  ...languageQuery,
  organization: parameter.id('Id of the organisation for which the caller acts'),
};

/** Empty parameters do not restrict. */
export const toFilter = (query: { month?: string | undefined; account_id?: number }): StatementFilter =>
  omitUndefined({
    months: query.month ? [query.month] : undefined,
    accountIds: query.account_id ? [query.account_id] : undefined,
  });
