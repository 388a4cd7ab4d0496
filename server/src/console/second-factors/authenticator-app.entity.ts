import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { bigintColumn } from '../../platform/db/columns.js';

/** The authenticator app (TOTP) of a user. */
@Entity('authenticator_apps')
export class AuthenticatorApp {
  @PrimaryColumn('integer', { name: 'user_id' }) userId: number;
  /** Base32 secret, encrypted. */
  @Column('text', { name: 'secret_sealed' }) secretSealed: string;
  /** Time of the first code; null before. The app is only in use after it. */
  @Column('timestamptz', { name: 'confirmed_at', nullable: true }) confirmedAt: Date | null;
  /** Time step of the last accepted code. */
  @Column({ type: 'bigint', name: 'last_step', transformer: bigintColumn, default: 0 }) lastStep: number;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  @Column('timestamptz', { name: 'last_used_at', nullable: true }) lastUsedAt: Date | null;
}
