import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A browser sign-in. The cookie holds a random secret; the row holds only its keyed hash. */
@Entity('sessions')
export class Session {
  @PrimaryColumn('bytea', { name: 'id_hash' }) idHash: Buffer;
  /** The public id, which the owner sees and uses to revoke the session. */
  @Column('uuid', { name: 'public_id' }) publicId: string;
  @Column('integer', { name: 'user_id' }) userId: number;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  @Column('timestamptz', { name: 'last_seen_at' }) lastSeenAt: Date;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt: Date;
  @Column('text', { default: '' }) ip: string;
  @Column('text', { name: 'user_agent', default: '' }) userAgent: string;
  /** Whether the second factor is still missing. Such a session grants nothing else. */
  @Column('boolean', { name: 'awaits_factor', default: false }) awaitsFactor: boolean;
  /** The last time a second factor was shown in this session. */
  @Column('timestamptz', { name: 'confirmed_at', nullable: true }) confirmedAt: Date | null;
}
