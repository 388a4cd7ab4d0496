import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';
import type { LimitSetting, TimeoutSetting } from '../../shared/channel-limits.js';
import { listCost, type CostRule } from '../../shared/cost-rule.js';
import type { ChannelSetting } from './channel-setting.js';

/** States of a channel, in the order in which lists sort them. An admin sets the first two, the server the last one. */
export const channelStatuses = ['enabled', 'disabled', 'autoDisabled'] as const;
export type ChannelStatus = (typeof channelStatuses)[number];
/** Returns the number of a status in the REST API. */
export const statusNumber = (status: ChannelStatus): number => channelStatuses.indexOf(status) + 1;

/** One credential at a provider with its models, weight and priority (docs/reference/rest/entities.md#channel). */
@Entity('channels')
export class Channel {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  /** Provider number (docs/reference/providers/README.md#channel-types). */
  @Column('integer') type: number;
  @Column('text', { default: '' }) name: string;
  /** Encrypted; decrypted only for the detail endpoint and for calls. Several keys are joined with commas. */
  @Column('text', { name: 'key_sealed', select: false }) keySealed: string;
  @Column('text', { default: 'enabled' }) status: ChannelStatus;
  /** Why the server enabled or disabled it last. */
  @Column('text', { name: 'status_reason', default: '' }) statusReason: string;
  /** Null: the server never did. */
  @Column('timestamptz', { name: 'status_changed_at', nullable: true }) statusChangedAt: Date | null;
  @Column('text', { name: 'openai_organization', default: '' }) openaiOrganization: string;
  @Column('text', { name: 'test_model', default: '' }) testModel: string;
  @Column('integer', { default: 0 }) weight: number;
  @Column('integer', { default: 0 }) priority: number;
  /** Null: unknown. */
  @Column('timestamptz', { name: 'created_at', nullable: true }) createdAt: Date | null;
  /** Null: never. */
  @Column('timestamptz', { name: 'tested_at', nullable: true }) testedAt: Date | null;
  /** Milliseconds of the last test; 0 when untested. */
  @Column('integer', { name: 'response_time', default: 0 }) responseTime: number;
  /** Why the last test failed; empty when it passed or there was none. */
  @Column('text', { name: 'test_error', default: '' }) testError: string;
  @Column('text', { name: 'base_url', default: '' }) baseUrl: string;
  @Column('text', { default: '' }) other: string;
  /** USD. */
  @Column('double precision', { default: 0 }) balance: number;
  /** When the balance was last read. Null when it never was. */
  @Column('timestamptz', { name: 'balance_at', nullable: true }) balanceAt: Date | null;
  @Column('text', { array: true, default: [] }) models: string[];
  /** A channel has at least one group. */
  @Column('text', { array: true, default: ['default'] }) groups: string[];
  @Column({ type: 'bigint', name: 'used_quota', transformer: bigintColumn, insert: false, update: false })
  usedQuota: number;
  /** The provider's names of models, by the names that clients request. */
  @Column('json', { name: 'model_mapping', default: {} }) modelMapping: Readonly<Record<string, string>>;
  /** The statuses that count, by the statuses that the provider sent. */
  @Column('json', { name: 'status_code_mapping', default: {} }) statusCodeMapping: Readonly<Record<string, number>>;
  /** Whether the server may disable it. */
  @Column('boolean', { name: 'auto_disable', default: true }) autoDisable: boolean;
  @Column('text', { default: '' }) tag: string;
  @Column('json', { default: {} }) setting: ChannelSetting;
  /** Changes of the bodies and headers of requests (`shared/channel-override.ts`). Null: none. */
  @Column('json', { nullable: true }) parameters: object | null;
  @Column('json', { nullable: true }) headers: object | null;
  @Column('json', { default: listCost }) cost: CostRule;
  /** Null: none. */
  @Column('json', { nullable: true }) limits: LimitSetting | null;
  /** Null: the defaults of the server apply. */
  @Column('json', { nullable: true }) timeouts: TimeoutSetting | null;
  @Column('text', { name: 'model_prefix', default: '' }) modelPrefix: string;
  /** Null: no limit. */
  @Column('integer', { name: 'max_input_tokens', nullable: true }) maxInputTokens: number | null;
  /** The user whose calls the channel serves exclusively. Null: it serves all users. */
  @Column('integer', { name: 'owner_id', nullable: true }) ownerId: number | null;
}
