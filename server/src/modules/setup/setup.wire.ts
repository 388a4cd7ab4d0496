import { z } from 'zod';
import type { SetupInput, SetupStatus } from './setup.service.js';

export const setupBody = z
  .object({
    username: z.string().default(''),
    password: z.string().default(''),
    confirmPassword: z.string().default(''),
    SelfUseModeEnabled: z.boolean().default(false),
    DemoSiteEnabled: z.boolean().default(false),
  })
  .transform((body): SetupInput => ({
    username: body.username,
    password: body.password,
    confirmPassword: body.confirmPassword,
    selfUseModeEnabled: body.SelfUseModeEnabled,
    demoSiteEnabled: body.DemoSiteEnabled,
  }));

export const toWire = ({ status, rootInit, databaseType }: SetupStatus): Record<string, unknown> => ({
  status,
  root_init: rootInit,
  database_type: databaseType,
});
