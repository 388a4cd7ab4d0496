import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { OrganisationRole } from '../../shared/organisation.js';

/** An invitation to an organisation. Its link is valid once, until it expires or is revoked. */
@Entity('invitations')
export class Invitation {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column('integer', { name: 'organisation_id' }) organisationId: number;
  @Column('text') role: OrganisationRole;
  @Column('bytea', { name: 'token_hash', select: false }) tokenHash: Buffer;
  /** Where the link was sent; empty when it was only shown. */
  @Column('text') email: string;
  @Column('integer', { name: 'created_by' }) createdBy: number;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt: Date;
  @Column('timestamptz', { name: 'accepted_at', nullable: true }) acceptedAt: Date | null;
  @Column('integer', { name: 'accepted_by', nullable: true }) acceptedBy: number | null;
  @Column('timestamptz', { name: 'revoked_at', nullable: true }) revokedAt: Date | null;
}
