import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { AccessScope } from '../../shared/actor.js';

/** A named access token. The row holds a keyed hash; the token itself is shown once. */
@Entity('access_tokens')
export class AccessToken {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column('integer', { name: 'user_id' }) userId: number;
  @Column('text') name: string;
  @Column('bytea', { name: 'token_hash', select: false }) tokenHash: Buffer;
  @Column('text', { array: true }) scopes: AccessScope[];
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  /** Time of the last use, accurate to about a minute. */
  @Column('timestamptz', { name: 'last_used_at', nullable: true }) lastUsedAt: Date | null;
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt: Date | null;
}
