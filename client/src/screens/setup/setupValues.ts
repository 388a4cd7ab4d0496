export type UsageMode = 'external' | 'self' | 'demo';

/** The fields of the setup form. */
export interface SetupValues {
  code: string;
  username: string;
  password: string;
  confirmPassword: string;
  mode: UsageMode;
}
