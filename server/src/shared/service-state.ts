/** How well calls of a model are served, from best to worst. */
export const serviceStates = ['OPERATIONAL', 'DEGRADED', 'OUTAGE'] as const;
export type ServiceState = (typeof serviceStates)[number];
