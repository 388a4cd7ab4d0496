// The addresses of the pages of objects.

export const channelAddress = (id: number): string => `/channel/${id}`;
export const userAddress = (id: number): string => `/user/${id}`;
export const tokenAddress = (id: number): string => `/token/${id}`;
export const modelAddress = (name: string): string => `/model/${encodeURIComponent(name)}`;
/** @param position of the key in its channel, from 1 */
export const keyAddress = (channelId: number, position: number): string => `/key/${channelId}/${position}`;
export const requestAddress = (id: string): string => `/request/${encodeURIComponent(id)}`;
