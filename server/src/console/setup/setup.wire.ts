import { z } from 'zod';
import type { SetupInput, SetupStatus } from './setup.service.js';

/** `POST /api/setup`. */
export const setupBody = z
  .object({
    username: z.string().default(''),
    password: z.string().default(''),
    confirmPassword: z.string().default(''),
    SelfUseModeEnabled: z.boolean().default(false),
    DemoSiteEnabled: z.boolean().default(false),
    /** An addition to the older consoles' API: required from another machine. */
    setup_code: z.string().max(100).default(''),
  })
  .transform((body): SetupInput => ({
    username: body.username,
    password: body.password,
    confirmPassword: body.confirmPassword,
    selfUseModeEnabled: body.SelfUseModeEnabled,
    demoSiteEnabled: body.DemoSiteEnabled,
    code: body.setup_code,
  }));

export const statusShape = z.object({ status: z.boolean(), root_init: z.boolean(), database_type: z.string() });

export const toWire = ({ status, rootInit, databaseType }: SetupStatus): z.output<typeof statusShape> => ({
  status,
  root_init: rootInit,
  database_type: databaseType,
});
