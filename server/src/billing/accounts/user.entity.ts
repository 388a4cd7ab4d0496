import {
  Column,
  CreateDateColumn,
  DeleteDateColumn,
  Entity,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';
import type { Role, UserStatus } from '../../shared/actor.js';
import type { AccountKind } from '../../shared/organisation.js';
import type { StoredSetting } from './user-setting.js';

/**
 * An account: a user, or an organisation, which cannot sign in. Balances and counters are read here and written only by the ledger, hence
 * `insert: false, update: false`.
 */
@Entity('users')
export class User {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  /** Unique, also among soft-deleted users. */
  @Column('text') username: string;
  /** The password hash. It is never selected unless requested explicitly. */
  @Column('text', { name: 'password_hash', nullable: true, select: false }) passwordHash: string | null;
  @Column('text', { name: 'display_name', default: '' }) displayName: string;
  @Column('text', { default: 'common' }) role: Role;
  @Column('text', { default: 'person' }) kind: AccountKind;
  /** The custom role of a common user (`console/roles`); null for other users. */
  @Column('integer', { name: 'custom_role_id', nullable: true }) customRoleId: number | null;
  @Column('text', { default: 'enabled' }) status: UserStatus;
  @Column('text', { default: '' }) email: string;
  @Column('text', { name: 'github_id', default: '' }) githubId: string;
  @Column('text', { name: 'oidc_id', default: '' }) oidcId: string;
  @Column('text', { name: 'wechat_id', default: '' }) wechatId: string;
  @Column('text', { name: 'telegram_id', default: '' }) telegramId: string;
  @Column('text', { name: 'linux_do_id', default: '' }) linuxDoId: string;
  @Column({ type: 'bigint', transformer: bigintColumn, insert: false, update: false }) quota: number;
  @Column({ type: 'bigint', name: 'used_quota', transformer: bigintColumn, insert: false, update: false })
  usedQuota: number;
  @Column({ type: 'bigint', name: 'request_count', transformer: bigintColumn, insert: false, update: false })
  requestCount: number;
  @Column('text', { default: 'default' }) group: string;
  /** The id of the user in a system of the operator. Unique. */
  @Column('text', { name: 'external_id', nullable: true }) externalId: string | null;
  @Column('text', { name: 'aff_code', nullable: true }) affCode: string | null;
  @Column({ type: 'integer', name: 'aff_count', insert: false, update: false }) affCount: number;
  @Column({ type: 'bigint', name: 'aff_quota', transformer: bigintColumn, insert: false, update: false })
  affQuota: number;
  @Column({ type: 'bigint', name: 'aff_history_quota', transformer: bigintColumn, insert: false, update: false })
  affHistoryQuota: number;
  /** Null: the user was not invited. */
  @Column('integer', { name: 'inviter_id', nullable: true }) inviterId: number | null;
  @ManyToOne(() => User)
  @JoinColumn({ name: 'inviter_id' })
  inviter?: User | null;
  @Column('bytea', { name: 'access_token_hash', nullable: true, select: false }) accessTokenHash: Buffer | null;
  @Column('text', { name: 'access_token_sealed', nullable: true, select: false }) accessTokenSealed: string | null;
  @Column('json', { default: {} }) setting: StoredSetting;
  /**
   * Whether an authenticator app or a passkey is set up. The column is written with them (`console/second-factors`).
   */
  @Column({ type: 'boolean', name: 'has_second_factor', insert: false, update: false, default: false })
  hasSecondFactor: boolean;
  @Column('timestamptz', { name: 'last_check_in_time', nullable: true }) lastCheckInTime: Date | null;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  @DeleteDateColumn({ name: 'deleted_at', type: 'timestamptz', nullable: true }) deletedAt: Date | null;
}
