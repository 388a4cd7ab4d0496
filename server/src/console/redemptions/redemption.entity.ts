import { Column, DeleteDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';

/** The states of a code, in the order in which lists sort them. */
export const redemptionStatuses = ['enabled', 'disabled', 'used'] as const;
export type RedemptionStatus = (typeof redemptionStatuses)[number];

/** A redemption code. A normal code serves one user, a gift code many, once each. */
@Entity('redemptions')
export class Redemption {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  /** The admin who created it. */
  @Column('integer', { name: 'user_id' }) userId: number;
  @Column('bytea', { name: 'key_hash', select: false }) keyHash: Buffer;
  @Column('text', { name: 'key_sealed', select: false }) keySealed: string;
  @Column('text', { default: 'enabled' }) status: RedemptionStatus;
  @Column('text') name: string;
  @Column('bigint', { transformer: bigintColumn }) quota: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  /** Time of use; normal codes only. */
  @Column('timestamptz', { name: 'redeemed_at', nullable: true }) redeemedAt: Date | null;
  /** Included. Null: no bound. */
  @Column('timestamptz', { name: 'valid_from', nullable: true }) validFrom: Date | null;
  /** Excluded. Null: no bound. */
  @Column('timestamptz', { name: 'valid_until', nullable: true }) validUntil: Date | null;
  /** The user of a normal code; null before use. */
  @Column('integer', { name: 'used_user_id', nullable: true }) usedUserId: number | null;
  @Column('boolean', { name: 'is_gift', default: false }) isGift: boolean;
  /** Maximum number of uses of a gift code; null for unlimited. */
  @Column('integer', { name: 'max_uses', nullable: true }) maxUses: number | null;
  @Column('integer', { name: 'used_count', default: 0 }) usedCount: number;
  /** The plan that the code gives. Null: it adds its quota to the balance. */
  @Column('integer', { name: 'plan_id', nullable: true }) planId: number | null;
  @DeleteDateColumn({ name: 'deleted_at', type: 'timestamptz', nullable: true }) deletedAt: Date | null;
}
