import { z } from 'zod';

const amount = z.int();

const party = z.object({ name: z.string(), address: z.string(), taxNumber: z.string() });

const usageLine = z.object({
  /** 0: a call without a key, such as one of the playground. */
  tokenId: z.int().min(0),
  /** Empty: the key was deleted, or there is none. */
  tokenName: z.string(),
  modelName: z.string(),
  /** The membership of an organisation that has the key, and its project. Absent: none, when the statement was closed. */
  memberId: z.int().min(1).optional(),
  memberName: z.string().optional(),
  projectId: z.int().min(1).optional(),
  projectName: z.string().optional(),
  calls: amount,
  promptTokens: amount,
  completionTokens: amount,
  quota: amount,
});
export type UsageLine = z.output<typeof usageLine>;

/** The content of a statement. It is stored as it was closed, and never computed again. */
export const statementContent = z.object({
  startsAt: z.iso.datetime(),
  /** The first instant of the next month. */
  endsAt: z.iso.datetime(),
  /** The zone of both borders. */
  timeZone: z.string(),
  seller: party.extend({ note: z.string() }),
  buyer: party.extend({ username: z.string() }),
  /** Quota units of one USD when the statement was closed. */
  quotaPerUnit: z.number().positive(),
  inCurrency: z.boolean(),
  /**
   * Sums of movements that are no calls, by kind. Kinds are those of the ledger, with more: `payment_refund` is money that went
   * back to the buyer or is disputed, `task_refund` the charge of a failed task, `paid_by_plan` the part of `usage` that plans paid.
   * The count of `paid_by_plan` is the number of calls less the failed tasks that plans got back, so it may be negative.
   */
  credits: z.array(z.object({ kind: z.string(), count: z.int(), amount })),
  /** Each payment and each refund of one, oldest first, with the number of its order. */
  payments: z.array(
    z.object({ kind: z.enum(['top_up', 'payment_refund']), at: z.iso.datetime(), amount, reference: z.string() }),
  ),
  usage: z.array(usageLine),
});
export type StatementContent = z.output<typeof statementContent>;

/**
 * The dimensions by which usage can be grouped. A line has the fields of each of them. A new dimension is a field of the
 * line and an entry here.
 */
export const usageDimensions = {
  key: ({ tokenId, tokenName }: UsageLine) => ({ tokenId, tokenName }),
  model: ({ modelName }: UsageLine) => ({ modelName }),
  member: ({ memberId = 0, memberName = '' }: UsageLine) => ({ memberId, memberName }),
  project: ({ projectId = 0, projectName = '' }: UsageLine) => ({ projectId, projectName }),
};
export type UsageDimension = keyof typeof usageDimensions;

const ungrouped = {
  tokenId: null,
  tokenName: null,
  modelName: null,
  memberId: null,
  memberName: null,
  projectId: null,
  projectName: null,
};
type GroupFields = { readonly [Name in keyof typeof ungrouped]: Required<UsageLine>[Name] | null };
export type UsageGroup = GroupFields & Omit<UsageLine, keyof GroupFields>;

/** Sums lines by some dimensions, those with the highest charge first. Fields of other dimensions are null. */
export function groupUsage(lines: readonly UsageLine[], by: readonly UsageDimension[]): UsageGroup[] {
  const groups = new Map<string, UsageGroup>();
  for (const line of lines) {
    const fields = Object.assign(
      {},
      ungrouped,
      ...by.map((dimension) => usageDimensions[dimension](line)),
    ) as GroupFields;
    const key = JSON.stringify(fields);
    const sum = groups.get(key);
    groups.set(key, {
      ...fields,
      calls: (sum?.calls ?? 0) + line.calls,
      promptTokens: (sum?.promptTokens ?? 0) + line.promptTokens,
      completionTokens: (sum?.completionTokens ?? 0) + line.completionTokens,
      quota: (sum?.quota ?? 0) + line.quota,
    });
  }
  return [...groups.values()].sort((one, two) => two.quota - one.quota);
}

/** A statement, or a preview of the current month. Amounts are quota. */
export interface StatementDocument {
  /** Null: a preview. */
  readonly id: number | null;
  /** The number of the statement, such as `2026-000042`. Null: a preview has none. */
  readonly number: string | null;
  readonly accountId: number;
  readonly month: string;
  /** Null: the month is still running. */
  readonly closedAt: Date | null;
  readonly opening: number;
  readonly credits: number;
  readonly usage: number;
  readonly closing: number;
  /** Held by the balance for calls in flight, in a preview: the balance is `closing` minus this. */
  readonly reserved: number;
  readonly content: StatementContent;
}
