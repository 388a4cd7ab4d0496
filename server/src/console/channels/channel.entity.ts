import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';

export const ChannelStatus = { enabled: 1, disabled: 2, autoDisabled: 3 } as const;

/** One credential at a provider with its models, weight and priority (docs/reference/rest/entities.md#channel). */
@Entity('channels')
export class Channel {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  /** Provider number (docs/reference/providers/README.md#channel-types). */
  @Column('integer') type: number;
  @Column('text', { default: '' }) name: string;
  /** Encrypted; decrypted only for the detail endpoint and for calls. Several keys are joined with commas. */
  @Column('text', { name: 'key_sealed', select: false }) keySealed: string;
  @Column('smallint', { default: 1 }) status: number;
  @Column('text', { name: 'openai_organization', default: '' }) openaiOrganization: string;
  @Column('text', { name: 'test_model', default: '' }) testModel: string;
  @Column('integer', { default: 0 }) weight: number;
  @Column('integer', { default: 0 }) priority: number;
  @Column('bigint', { name: 'created_time', transformer: bigintColumn }) createdTime: number;
  @Column('bigint', { name: 'test_time', transformer: bigintColumn, default: 0 }) testTime: number;
  /** Milliseconds of the last test; 0 when untested. */
  @Column('integer', { name: 'response_time', default: 0 }) responseTime: number;
  /** Why the last test failed; empty when it passed or there was none. */
  @Column('text', { name: 'test_error', default: '' }) testError: string;
  @Column('text', { name: 'base_url', default: '' }) baseUrl: string;
  @Column('text', { default: '' }) other: string;
  /** USD. */
  @Column('double precision', { default: 0 }) balance: number;
  @Column('bigint', { name: 'balance_updated_time', transformer: bigintColumn, default: 0 }) balanceUpdatedTime: number;
  /** Comma-separated lists, trimmed and without duplicates. */
  @Column('text', { default: '' }) models: string;
  @Column('text', { default: 'default' }) group: string;
  @Column({ type: 'bigint', name: 'used_quota', transformer: bigintColumn, insert: false, update: false })
  usedQuota: number;
  /** JSON texts, empty when unset. */
  @Column('text', { name: 'model_mapping', default: '' }) modelMapping: string;
  @Column('text', { name: 'status_code_mapping', default: '' }) statusCodeMapping: string;
  @Column('smallint', { name: 'auto_ban', default: 1 }) autoBan: number;
  /** JSON text `{ status_reason, status_time }` after automatic changes. */
  @Column('text', { name: 'other_info', default: '' }) otherInfo: string;
  @Column('text', { default: '' }) tag: string;
  @Column('text', { default: '' }) setting: string;
  @Column('text', { name: 'param_override', default: '' }) paramOverride: string;
  @Column('text', { name: 'header_override', default: '' }) headerOverride: string;
  /** JSON text of `shared/cost-rule.ts`; empty: the list price. */
  @Column('text', { name: 'cost_rule', default: '' }) costRule: string;
  @Column('text', { default: '' }) limits: string;
  @Column('text', { default: '' }) timeouts: string;
  @Column('text', { name: 'model_prefix', default: '' }) modelPrefix: string;
  @Column('integer', { name: 'max_input_tokens', default: 0 }) maxInputTokens: number;
  /** The user whose calls the channel serves exclusively; 0 when it serves all users. */
  @Column('integer', { name: 'owner_id', default: 0 }) ownerId: number;
  @Column('bigint', { name: 'expired_time', transformer: bigintColumn, default: 0 }) expiredTime: number;
}
