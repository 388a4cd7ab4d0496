import { Column, DeleteDateColumn, Entity, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';
import type { TokenScope } from '../../shared/token-scopes.js';
import { Membership } from './membership.entity.js';
import { User } from './user.entity.js';

/**
 * States of an API key, in the order in which lists sort them. Its owner sets the first two. The relay stores one of the
 * others when it refuses the key for that reason.
 */
export const tokenStatuses = ['enabled', 'disabled', 'expired', 'exhausted'] as const;
export type TokenStatus = (typeof tokenStatuses)[number];

/** A rate limit of one key, in addition to that of its user. */
export class TokenRateLimit {
  @Column('boolean', { name: 'rate_limit_enabled', default: false }) enabled: boolean;
  @Column('integer', { name: 'rate_limit_period', default: 60 }) periodSeconds: number;
  /** Calls per period, including failed ones. Null: no limit. */
  @Column('integer', { name: 'rate_limit_calls', nullable: true, default: 1000 }) calls: number | null;
  /** Successful calls per period. Null: no limit. */
  @Column('integer', { name: 'rate_limit_successes', nullable: true, default: 10 }) successes: number | null;
}

/**
 * An API key of a user or an organisation. Looked up by keyed hash. The encrypted copy exists because older clients list full keys. Lists are
 * never null. Moments are whole seconds (`wholeSecond`). A switched-off limit keeps its values, which forms show again when it is switched on.
 */
@Entity('tokens')
export class Token {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column('integer', { name: 'user_id' }) userId: number;
  @ManyToOne(() => User)
  @JoinColumn({ name: 'user_id' })
  user?: User;
  /** The membership in an organisation for which the key was made. 0: the key is of the organisation itself or of a person. */
  @Column({ type: 'integer', name: 'member_id', default: 0, update: false }) memberId: number;
  @ManyToOne(() => Membership)
  @JoinColumn({ name: 'member_id' })
  member?: Membership;
  /** The project of the organisation that its calls belong to. 0: none. */
  @Column({ type: 'integer', name: 'project_id', default: 0, update: false }) projectId: number;
  @Column('bytea', { name: 'key_hash', select: false }) keyHash: Buffer;
  /** First characters of the key, to identify it without showing it. */
  @Column('text', { name: 'key_prefix' }) keyPrefix: string;
  @Column('text', { name: 'key_sealed', select: false }) keySealed: string;
  /** The key before the last rotation; null when there is none. */
  @Column('bytea', { name: 'previous_key_hash', nullable: true, select: false }) previousKeyHash: Buffer | null;
  /** The previous key works until then; null when there is none. */
  @Column('timestamptz', { name: 'previous_key_until', nullable: true }) previousKeyUntil: Date | null;
  /** A token has at least one scope. They are in the order of `tokenScopes`. */
  @Column('text', { array: true, default: ['relay', 'usage'] }) scopes: TokenScope[];
  @Column('text', { default: 'enabled' }) status: TokenStatus;
  @Column('text', { default: '' }) name: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  /** Time of the last charged call; null: never used. */
  @Column('timestamptz', { name: 'last_used_at', nullable: true }) lastUsedAt: Date | null;
  /** Null: never. */
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt: Date | null;
  @Column({ type: 'bigint', name: 'remain_quota', transformer: bigintColumn, insert: false, update: false })
  remainQuota: number;
  @Column({ type: 'bigint', name: 'used_quota', transformer: bigintColumn, insert: false, update: false })
  usedQuota: number;
  @Column('boolean', { name: 'unlimited_quota', default: false }) unlimitedQuota: boolean;
  @Column('boolean', { name: 'model_limits_enabled', default: false }) modelLimitsEnabled: boolean;
  /** The only models that it can call while `modelLimitsEnabled`: none when the list is empty. */
  @Column('text', { name: 'model_limits', array: true, default: [] }) modelLimits: string[];
  /** Addresses and CIDR ranges that can use it; empty allows all. */
  @Column('text', { name: 'allow_ips', array: true, default: [] }) allowIps: string[];
  /** The group; empty for the user's group. */
  @Column('text', { default: '' }) group: string;
  /** Groups that are tried after `group`, in this order. */
  @Column('text', { name: 'fallback_groups', array: true, default: [] }) fallbackGroups: string[];
  /** Models that are called when the requested one cannot be served, in this order. Empty: as the site sets. */
  @Column('text', { name: 'fallback_models', array: true, default: [] }) fallbackModels: string[];
  @Column(() => TokenRateLimit, { prefix: false }) rateLimit: TokenRateLimit;
  @DeleteDateColumn({ name: 'deleted_at', type: 'timestamptz', nullable: true }) deletedAt: Date | null;
}
