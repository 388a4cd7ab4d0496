import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';

/** A WebAuthn credential of a user. */
@Entity('passkeys')
export class Passkey {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column('integer', { name: 'user_id' }) userId: number;
  @Column('text') name: string;
  /** The id in base64url. */
  @Column('text', { name: 'credential_id' }) credentialId: string;
  /** The key in COSE form. */
  @Column('bytea', { name: 'public_key' }) publicKey: Buffer;
  /** The domain for which it was created; browsers offer it nowhere else. */
  @Column('text') domain: string;
  /** Signature counter; stays 0 for passkeys that are synced between devices. */
  @Column({ type: 'bigint', transformer: bigintColumn }) counter: number;
  @Column('text', { array: true }) transports: string[];
  @Column('boolean', { name: 'is_synced' }) isSynced: boolean;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  @Column('timestamptz', { name: 'last_used_at', nullable: true }) lastUsedAt: Date | null;
}
