import { Column, DeleteDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';

export const RedemptionStatus = { enabled: 1, disabled: 2, used: 3 } as const;

/**
 * A redemption code. A normal code serves one user, a gift code many, once each. Times are Unix seconds, 0 when unset.
 */
@Entity('redemptions')
export class Redemption {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  /** The admin who created it. */
  @Column('integer', { name: 'user_id' }) userId: number;
  @Column('bytea', { name: 'key_hash', select: false }) keyHash: Buffer;
  @Column('text', { name: 'key_sealed', select: false }) keySealed: string;
  @Column('smallint', { default: 1 }) status: number;
  @Column('text') name: string;
  @Column('bigint', { transformer: bigintColumn }) quota: number;
  @Column('bigint', { name: 'created_time', transformer: bigintColumn }) createdTime: number;
  /** Time of use; normal codes only. */
  @Column('bigint', { name: 'redeemed_time', transformer: bigintColumn, default: 0 }) redeemedTime: number;
  /** The validity, inclusive; 0 means no bound. */
  @Column('bigint', { name: 'valid_from', transformer: bigintColumn, default: 0 }) validFrom: number;
  @Column('bigint', { name: 'valid_until', transformer: bigintColumn, default: 0 }) validUntil: number;
  /** The user of a normal code; 0 before use. */
  @Column('integer', { name: 'used_user_id', default: 0 }) usedUserId: number;
  @Column('boolean', { name: 'is_gift', default: false }) isGift: boolean;
  /** Maximum number of uses of a gift code; -1 for unlimited. */
  @Column('integer', { name: 'max_uses', default: -1 }) maxUses: number;
  @Column('integer', { name: 'used_count', default: 0 }) usedCount: number;
  @DeleteDateColumn({ name: 'deleted_at', type: 'timestamptz', nullable: true }) deletedAt: Date | null;
}
