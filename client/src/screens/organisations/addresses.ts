export const organisationAddress = (id: number): string => `/organisations/${id}`;
