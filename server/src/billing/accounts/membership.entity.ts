import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { OrganisationRole } from '../../shared/organisation.js';

/** A person in an organisation, now or in the past: usage and charges of earlier members stay readable. */
@Entity('memberships')
export class Membership {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column('integer', { name: 'organisation_id' }) organisationId: number;
  @Column('integer', { name: 'user_id' }) userId: number;
  @Column('text') role: OrganisationRole;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  /** Null: a member now. */
  @Column('timestamptz', { name: 'left_at', nullable: true }) leftAt: Date | null;
}
