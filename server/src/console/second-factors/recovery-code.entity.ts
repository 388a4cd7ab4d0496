import { Entity, PrimaryColumn } from 'typeorm';

/** A recovery code of a user, of which only the hash is stored. A code that was used is deleted. */
@Entity('recovery_codes')
export class RecoveryCode {
  @PrimaryColumn('integer', { name: 'user_id' }) userId: number;
  @PrimaryColumn('bytea', { name: 'code_hash' }) codeHash: Buffer;
}
